package finish

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
)

// closed is a run that is closed and whose files closeRun has removed.
func (s site) closed(id run.JobID, nodes string) job.RunDir {
	dir := s.run("n1", nodes, run.Key{Cluster: "test", JobID: id}, profiletest.SyntheticRun{}, true)
	must(s.t, os.WriteFile(dir.Path(doneFile), nil, 0o600))
	return dir
}

func inodes(t *testing.T, top string) (n int) {
	t.Helper()
	must(t, filepath.WalkDir(top, func(_ string, _ fs.DirEntry, err error) error {
		n++
		return err
	}))
	return n
}

// A node of short jobs has one line for each job: neither inodes nor what a hook reads grow with the number of
// ended jobs.
func TestFinishedRunsBecomeLines(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.Spool.Keep = "none"
	f, spool := s.finisher("n1"), job.NodeDir(s.cfg.Spool.Dir, "n1")
	for id := range run.JobID(300) {
		must(t, f.Retire(s.closed(1000+id, "n1")))
	}
	if n := inodes(t, spool); n > 10 {
		t.Errorf("300 runs take %d inodes", n)
	}
	if dirs, err := job.Dirs(spool); err != nil || len(dirs) != 0 {
		t.Errorf("a hook looks at %d directories, %v", len(dirs), err)
	}
	for _, c := range []struct {
		key  run.Key
		over bool
	}{
		{run.Key{Cluster: "test", JobID: 1000}, true}, {run.Key{Cluster: "test", JobID: 1299}, true},
		{run.Key{Cluster: "test", JobID: 1300}, false},
		{run.Key{Cluster: "other", JobID: 1000}, false}, {run.Key{Cluster: "test", JobID: 1000, Restart: 1}, false},
		{run.Key{Cluster: "test", JobID: 100}, false},
	} {
		if _, _, over, err := Find(spool, c.key); err != nil || over != c.over {
			t.Errorf("%v is over: %v, %v", c.key, over, err)
		}
	}
	old := time.Now().Add(-2 * rememberFor)
	files, err := filepath.Glob(filepath.Join(spool, retiredDir, "*", "*"))
	must(t, err)
	for _, path := range files {
		must(t, os.Chtimes(path, old, old))
	}
	s.sweep("n1")
	if n := inodes(t, filepath.Join(spool, retiredDir)); n > 2 {
		t.Errorf("%d inodes are left of runs that are long over", n)
	}
}

// Sweeps at the same time, of the timer and after jobs, retire all runs and do not complain of those that another has
// retired.
func TestSweepsAtTheSameTime(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.Spool.Keep = "none"
	spool := job.NodeDir(s.cfg.Spool.Dir, "n1")
	for id := range run.JobID(200) {
		s.closed(2000+id, "n1")
	}
	failed := make(chan error, 3)
	for range cap(failed) {
		go func() {
			_, _, err := s.finisher("n1").trim()
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Errorf("%.300v", err)
		}
	}
	if dirs, err := job.Dirs(spool); err != nil || len(dirs) != 0 {
		t.Errorf("%d directories are left, %v", len(dirs), err)
	}
}

// A sweep retires what an older version left, or a process that was killed between writing the line and removing
// the directory.
func TestSweepRetiresClosedRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.Spool.Keep = "none"
	dir := s.closed(7, "n1")
	must(t, appendLine(retiredFile(job.NodeDir(s.cfg.Spool.Dir, "n1"), oneNode, 7), retiredRun{Run: job.Run{Key: seven}}))
	s.sweep("n1")
	if _, err := os.Lstat(string(dir)); err == nil {
		t.Error("the directory is still there")
	}
	if _, _, over, err := Find(job.NodeDir(s.cfg.Spool.Dir, "n1"), seven); !over || err != nil {
		t.Errorf("over %v, %v", over, err)
	}
}

// A line of a run of several nodes has what an adoption needs; a line that a crash tore does not hide the next.
func TestRetiredRunCanBeAdopted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.Spool.Keep = "none"
	f := s.finisher("n1")
	torn := retiredFile(f.Spool, manyNodes, 7)
	must(t, os.MkdirAll(filepath.Dir(torn), 0o700))
	must(t, os.WriteFile(torn, []byte(`{"run":{"key":{"job_id":7`), 0o600))
	must(t, f.Retire(s.closed(7, "n0,n1")))
	w, err := f.runInSpool(seven)
	if err != nil || w.run.Key != seven || w.run.Job.WorkDir != s.work || w.run.Job.NodeList != "n0,n1" ||
		w.end.Exit == nil {
		t.Errorf("%+v, %v", w, err)
	}
	if sweeper, err := f.sweeper(); err != nil || len(sweeper.Jobs) != 1 {
		t.Errorf("%+v, %v", sweeper, err)
	}
}

// A file of retired runs is not extended beyond what is read of it: the run keeps its directory.
func TestFullFileOfRetiredRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.Spool.Keep = "none"
	f := s.finisher("n1")
	full := retiredFile(f.Spool, manyNodes, 7)
	must(t, appendLine(full, retiredRun{Run: job.Run{Key: seven}}))
	must(t, os.Truncate(full, maxRetiredBytes-100))
	dir := s.closed(7, "n0,n1")
	if err := f.Retire(dir); !errors.Is(err, job.ErrTooLarge) {
		t.Errorf("a line for a full file: %v", err)
	}
	if _, err := os.Lstat(string(dir)); err != nil {
		t.Errorf("the directory of the run: %v", err)
	}
	info, err := os.Stat(full)
	must(t, err)
	if info.Size() != maxRetiredBytes-100 {
		t.Errorf("the file has %d bytes, want %d", info.Size(), maxRetiredBytes-100)
	}
}

// A run whose profile is kept keeps its directory, unless it was too short for a report.
func TestLongRunsAreKept(t *testing.T) {
	t.Parallel()
	for minimum, kept := range map[float64]bool{0: true, 60: false} {
		s := newSite(t)
		s.cfg.Spool.Keep, s.cfg.Report.MinElapsedS = "first", minimum
		f := s.finisher("n1")
		dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 2, Seal: true}, true)
		must(t, f.Finish(t.Context(), dir))
		must(t, f.Retire(dir))
		if _, err := os.Lstat(string(dir)); (err == nil) != kept {
			t.Errorf("minimum %v s: %v, want kept %v", minimum, err, kept)
		}
	}
}

func FuzzRetired(f *testing.F) {
	f.Add([]byte("\n{\"run\":{\"key\":{\"cluster\":\"test\",\"job_id\":7}},\"end\":{\"restart\":1}}\n"))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		eachRetiredLine(text, nil, func(r retiredRun) bool {
			if err := r.Run.Key.Valid(); err != nil {
				t.Error(err)
			}
			return true
		})
	})
}
