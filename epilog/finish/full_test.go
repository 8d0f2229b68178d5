package finish

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/profile/profiletest"
)

// small mounts a file system of the given number of bytes at a directory.
func small(t *testing.T, dir string, bytes int) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root to mount a file system")
	}
	must(t, os.MkdirAll(dir, 0o711))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d,mode=711", bytes)); err != nil {
		t.Skip("mount: ", err)
	}
	t.Cleanup(func() { must(t, unix.Unmount(dir, unix.MNT_DETACH)) })
}

// fill leaves the given number of bytes free.
func fill(t *testing.T, dir string, free int64) {
	t.Helper()
	var st unix.Statfs_t
	must(t, unix.Statfs(dir, &st))
	must(t, os.WriteFile(filepath.Join(dir, "filler"), make([]byte, int64(st.Bavail)*st.Bsize-free), 0o600))
}

// A report in memory reaches its user even if the spool is full, and sweeps do not deliver it again.
func TestReportWithUnwritableSpool(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, spool string)
		note  string
	}{
		"256 KB free": {func(t *testing.T, spool string) { fill(t, spool, 256<<10) }, ""},
		"8 KB free":   {func(t *testing.T, spool string) { fill(t, spool, 8<<10) }, "spool_failed"},
		"full":        {func(t *testing.T, spool string) { fill(t, spool, 0) }, "spool_failed"},
		"read-only": {func(t *testing.T, spool string) {
			must(t, unix.Mount("", spool, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""))
		}, "spool_failed"},
	} {
		for _, ingest := range []string{"here", "spool"} {
			t.Run(name+", history "+ingest, func(t *testing.T) {
				s := newSite(t)
				s.cfg.History.Ingest = ingest
				small(t, s.cfg.Spool.Dir, 8<<20)
				dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 60, PeriodS: 0.4, Seal: true}, true)
				lock, err := dir.TryLock() // as its Prolog did
				must(t, err)
				must(t, lock.Close())
				end, err := ReadEnd(dir)
				must(t, err)
				if name != "read-only" { // else the disk failed after the hook
					must(t, os.Remove(dir.Path(endFile)))
				}
				c.spoil(t, s.cfg.Spool.Dir)
				f := s.finisher("n1")
				if f.End = &end; WriteEnd(dir, end) == nil { // as the hook does
					f.End = nil
				}
				lock, err = dir.TryLock()
				must(t, err)
				if err := f.Finish(context.Background(), dir); err != nil && name != "read-only" {
					t.Error(err)
				}
				must(t, lock.Close())
				text := s.text("jobgait-7.txt")
				if c.note != "" != strings.Contains(text, "spool_failed") {
					t.Errorf("note %q:\n%s", c.note, text)
				}
				must(t, os.Remove(filepath.Join(s.work, "jobgait-7.txt")))
				for range 2 {
					_, err := s.finisher("n1").Sweep(context.Background(), true)
					if (err != nil) != (name == "read-only") {
						t.Errorf("sweep: %v", err)
					}
				}
				if _, err := os.Stat(filepath.Join(s.work, "jobgait-7.txt")); err == nil {
					t.Error("a sweep delivered it again")
				}
			})
		}
	}
}

// If the collection directory accepts no files, the report lacks the records of other nodes until it is
// repaired, but is delivered.
func TestReportWithoutTheCollectionDirectory(t *testing.T) {
	for _, ingest := range []string{"here", "spool"} {
		t.Run(ingest, func(t *testing.T) {
			s := newSite(t)
			s.cfg.History.Ingest = ingest
			must(t, os.WriteFile(s.cfg.Collect.Dir, nil, 0o600)) // a file in its way
			dir := s.run("n1", "n1,n2", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}, true)
			if err := s.finisher("n1").Finish(context.Background(), dir); err == nil || Done(dir) {
				t.Errorf("%v, closed %v", err, Done(dir))
			}
			if text := s.text("jobgait-7.txt"); !strings.Contains(text, "collect_failed") ||
				!strings.Contains(text, "missing_nodes") {
				t.Errorf("notes:\n%s", text)
			}
			must(t, os.Remove(filepath.Join(s.work, "jobgait-7.txt")))
			if _, err := s.finisher("n1").Sweep(context.Background(), true); err == nil {
				t.Error("no error")
			}
			if _, err := os.Stat(filepath.Join(s.work, "jobgait-7.txt")); err == nil {
				t.Error("delivered again, with nothing new in it")
			}
			must(t, os.Remove(s.cfg.Collect.Dir))
			s.run("n2", "n1,n2", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}, true)
			s.sweep("n2")
			s.sweep("n1")
			if text := s.text("jobgait-7.txt"); !Done(dir) || strings.Contains(text, "_failed") ||
				strings.Contains(text, "missing_nodes") {
				t.Errorf("mended: closed %v\n%s", Done(dir), text)
			}
		})
	}
}

// The report of a user whose directory is full is in the spool (owner_test.go: who can read it).
func TestReportOfAUserWithoutRoom(t *testing.T) {
	s := newSite(t)
	small(t, s.work, 64<<10)
	fill(t, s.work, 0)
	must(t, os.Chown(s.work, 0, 0))
	must(t, os.MkdirAll(s.cfg.Spool.Dir, 0o711))
	s.cfg.Watch.Root = true // the report is written by this process
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}, true)
	must(t, s.finisher("n1").Finish(context.Background(), dir))
	kept := filepath.Join(s.cfg.Spool.Dir, "n1", "reports", seven.String())
	b, err := os.ReadFile(filepath.Join(kept, "jobgait-7.txt"))
	if err != nil || !strings.Contains(string(b), "is full") {
		t.Errorf("%v\n%s", err, b)
	}
}

// The record in the spool is small; the next attempt reads it.
func TestRecordInTheSpool(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 60, PeriodS: 0.4, Seal: true}, true)
	run, err := dir.ReadRun()
	must(t, err)
	end, err := ReadEnd(dir)
	must(t, err)
	r, err := s.finisher("n1").nodeRecord(dir, run, end)
	must(t, err)
	info, err := os.Stat(dir.Path(recordFile))
	must(t, err)
	t.Logf("%d bytes", info.Size())
	if info.Size() > 32<<10 {
		t.Errorf("the record has %d bytes", info.Size())
	}
	must(t, os.Remove(dir.ProfilePath())) // it is made of the record alone
	again, err := s.finisher("n1").nodeRecord(dir, run, end)
	if err != nil || len(again.Patterns) != len(r.Patterns) || again.Quality.Samples != r.Quality.Samples {
		t.Errorf("%+v, %v", again.Quality, err)
	}
}
