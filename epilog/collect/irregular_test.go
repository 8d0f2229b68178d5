package collect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// eachIrregular runs a test with every kind of irregular file.
func eachIrregular(t *testing.T, do func(t *testing.T, create func(path string) error)) {
	for name, create := range jobtest.Irregular() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			do(t, create)
		})
	}
}

// skipUnmounted ends the test if a directory cannot be made because of a link without a target, which stays.
func skipUnmounted(t *testing.T, dir string) {
	if err := os.MkdirAll(dir, 0o700); errors.Is(err, fs.ErrExist) {
		t.Skip("the link may point to a file system that is not mounted")
	}
}

// An irregular file in the place of a last report counts as none, and the next report replaces it. So a late run is
// finished, and reported once.
func TestIrregularLastReport(t *testing.T) {
	key := run.Key{Cluster: "c", JobID: 1234567}
	in := filepath.Join(reportedDir, "c-123")
	for _, place := range []string{filepath.Join(in, key.String()+reportedSuffix), in, reportedDir} {
		t.Run(filepath.Base(place), func(t *testing.T) {
			eachIrregular(t, func(t *testing.T, create func(path string) error) {
				dir, r := t.TempDir(), record("n1", key, 3, 100)
				s := Store{Dir: dir}
				jobtest.ReplaceByIrregular(t, filepath.Join(dir, place), create)
				skipUnmounted(t, filepath.Dir(reportedPath(dir, "c-1234567.r0", "")))
				for _, anyRun := range []bool{false, true} {
					got, err := s.LastReport(t.Context(), RecordRequest{Key: key, AnyRun: anyRun, End: r.End})
					if err != nil || got != (LastReport{}) {
						t.Errorf("before the report: %+v, %v", got, err)
					}
				}
				if err := s.PutLastReport(t.Context(), reported(r, 2, 3)); err != nil {
					t.Fatal(err)
				}
				got, err := s.LastReport(t.Context(), RecordRequest{Key: key})
				if err != nil || got.Nodes != 2 {
					t.Errorf("after the report: %+v, %v", got, err)
				}
			})
		})
	}
}

// An irregular file in the place of a node's record, or of the directories above it, is replaced by the record.
func TestIrregularRecordIsReplaced(t *testing.T) {
	r := record("n1", run.Key{Cluster: "c", JobID: 7}, 3, 100)
	file, err := filepath.Rel("/", recordPath("/", r))
	if err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{file, filepath.Dir(file), runsDir} {
		t.Run(filepath.Base(place), func(t *testing.T) {
			eachIrregular(t, func(t *testing.T, create func(path string) error) {
				dir := t.TempDir()
				jobtest.ReplaceByIrregular(t, filepath.Join(dir, place), create)
				skipUnmounted(t, filepath.Dir(recordPath(dir, r)))
				s := store(t, dir, r)
				got, err := s.Gather(t.Context(), RecordRequest{Key: r.Key, End: r.End, Nodes: []string{"n1"}})
				if err != nil || nodesOf(got) != "n1:0 " {
					t.Errorf("%s, %v", nodesOf(got), err)
				}
			})
		})
	}
}

// An irregular file with the name of another node's record is set aside and reported, and does not keep the run
// unfinished.
func TestIrregularRecordIsSetAside(t *testing.T) {
	key := run.Key{Cluster: "c", JobID: 7}
	r, other := record("n1", key, 3, 100), record("n2", key, 3, 100)
	eachIrregular(t, func(t *testing.T, create func(path string) error) {
		dir := t.TempDir()
		s := store(t, dir, r)
		var said []string
		s.Unread = func(line string) { said = append(said, line) }
		jobtest.ReplaceByIrregular(t, recordPath(dir, other), create)
		aside := filepath.Join(dir, failedDir, filepath.Base(recordPath(dir, other)))
		jobtest.ReplaceByIrregular(t, aside, create)
		jobtest.ReplaceByIrregular(t, aside+whySuffix, create)
		w := RecordRequest{Key: r.Key, End: r.End, Nodes: []string{"n1", "n2"}}
		got, err := s.Gather(t.Context(), w)
		if err != nil || nodesOf(got) != "n1:0 " || len(said) != 1 || !strings.Contains(said[0], "moved to") {
			t.Errorf("%s, %v, said %q", nodesOf(got), err, said)
		}
		if why, err := os.ReadFile(aside + whySuffix); err != nil || !strings.Contains(string(why), "regular file") {
			t.Errorf("%q, %v", why, err)
		}
		jobtest.ReplaceByIrregular(t, recordPath(dir, other), create)
		if err := s.Forget(t.Context(), w, nil); err != nil {
			t.Error(err)
		}
		if _, err := os.Lstat(recordPath(dir, other)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the record is left: %v", err)
		}
	})
}

// An irregular file in the place of a job record is set aside once; later calls have nothing to do.
func TestIrregularJobRecordIsSetAside(t *testing.T) {
	eachIrregular(t, func(t *testing.T, create func(path string) error) {
		dir := threeJobs(t)
		jobtest.ReplaceByIrregular(t, filepath.Join(dir, jobsDir, "bad"+suffix), create)
		take := recordByRecord(func(JobRecord) error { return nil })
		if taken, aside, err := Jobs(dir, take); taken != 3 || aside != 1 || err == nil {
			t.Errorf("%d taken, %d set aside, %v", taken, aside, err)
		}
		if taken, aside, err := Jobs(dir, take); taken+aside != 0 || err != nil {
			t.Errorf("again: %d taken, %d set aside, %v", taken, aside, err)
		}
	})
}

// An irregular file in the place of the elected node's does not stop elections, and so adoptions.
func TestIrregularElection(t *testing.T) {
	eachIrregular(t, func(t *testing.T, create func(path string) error) {
		dir := t.TempDir()
		jobtest.ReplaceByIrregular(t, filepath.Join(dir, sweeperFile), create)
		if !elect(t, dir, "a") || elect(t, dir, "b") {
			t.Error("not exactly the first node is elected")
		}
	})
}

// The limit of the directory of unusable records also counts irregular files and removes them.
func TestIrregularFilesInFailedAreBounded(t *testing.T) {
	eachIrregular(t, func(t *testing.T, create func(path string) error) {
		dir := t.TempDir()
		for _, name := range []string{"a", "b", "c"} {
			jobtest.ReplaceByIrregular(t, filepath.Join(dir, name), create)
		}
		_ = dropOldest(dir, 2, 1<<30)
		if left, err := os.ReadDir(dir); err != nil || len(left) > 2 {
			t.Errorf("%d are left, %v", len(left), err)
		}
	})
}

// The elected node removes the temporary files of killed writers when they are a day old, and directories of jobs that
// have nothing else.
func TestLeftoversOfKilledWritersAreRemoved(t *testing.T) {
	dir, r := t.TempDir(), record("n1", run.Key{Cluster: "c", JobID: 7}, 3, 100)
	s := store(t, dir, r)
	if err := s.PutJob(t.Context(), JobRecord{Summary: summary.Summary{Schema: summary.Schema, Key: r.Key}}); err != nil {
		t.Fatal(err)
	}
	in := jobDir(dir, run.Key{Cluster: "c", JobID: 8})
	old, fresh := []string{filepath.Join(in, ".new-1"), filepath.Join(dir, jobsDir, ".new-2"),
		filepath.Join(dir, temporarySweeper+"3")}, filepath.Join(dir, jobsDir, ".new-4")
	for _, path := range append(old, fresh) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if path != fresh {
			agedFile(t, path, leftoverAge+time.Minute)
		}
	}
	agedFile(t, in, leftoverAge+time.Minute)
	if _, err := s.Orphans(t.Context(), time.Hour, Sweeper{Name: "n1"}); err != nil {
		t.Fatal(err)
	}
	for _, path := range append(old, in) {
		if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is left: %v", path, err)
		}
	}
	for _, path := range []string{fresh, recordPath(dir, r)} {
		if _, err := os.Lstat(path); err != nil {
			t.Error(err)
		}
	}
}
