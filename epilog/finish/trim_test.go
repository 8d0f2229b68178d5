package finish

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
)

func TestSpoolStaysWithinItsSize(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for id := range 4 {
		key := run.Key{Cluster: "test", JobID: run.JobID(id + 1)}
		must(t, s.finisher("n1").Finish(context.Background(),
			s.run("n1", "n1", key, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)))
	}
	open := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5}, false)
	kept := filepath.Join(job.NodeDir(s.cfg.Spool.Dir, "n1"), reportsDir, "test-1.r0")
	must(t, os.MkdirAll(kept, 0o700))
	must(t, os.WriteFile(filepath.Join(kept, "jobgait-1.txt"), make([]byte, 1<<20), 0o600))
	s.cfg.Spool.MaxGB = float64(measure(filepath.Dir(filepath.Dir(kept))).bytes) / 1e9
	if did := s.sweep("n1"); did.Removed != 0 {
		t.Errorf("with room for all: %+v", did)
	}
	must(t, os.RemoveAll(kept))
	s.cfg.Spool.MaxGB = 1e-9
	if did := s.sweep("n1"); did.Removed != 4 {
		t.Errorf("%+v", did)
	}
	if _, err := open.ReadRun(); err != nil {
		t.Errorf("a run that is not finished was removed: %v", err)
	}
}

// Many small runs are bounded like few large ones: by their number, and by their inodes.
func TestSpoolStaysWithinItsNumberOfRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	spool := job.NodeDir(s.cfg.Spool.Dir, "n1")
	for id := range run.JobID(20) {
		s.closed(100+id, "n1")
	}
	for id := range run.JobID(20) {
		must(t, os.MkdirAll(filepath.Join(spool, reportsDir, fmt.Sprint("test-", id)), 0o700))
	}
	running := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5}, false)
	s.cfg.Spool.MaxRuns = 15
	if did := s.sweep("n1"); did.Removed != 41-15 {
		t.Errorf("finished runs: %+v", did)
	}
	s.cfg.History.Path = s.work // a directory: no run can be finished
	for id := range run.JobID(20) {
		s.run("n1", "n1", run.Key{Cluster: "test", JobID: 200 + id}, profiletest.SyntheticRun{}, true)
	}
	f := s.finisher("n1")
	_, _, err := f.trim()
	must(t, err)
	dirs, err := job.Dirs(spool)
	must(t, err)
	if n := inodes(t, spool); len(dirs) != 15 || n > 15*filesPerRun {
		t.Errorf("%d runs and %d inodes are left", len(dirs), n)
	}
	if _, err := running.ReadRun(); err != nil {
		t.Errorf("a run that goes on was removed: %v", err)
	}
	finished := []spoolEntry{{path: string(s.closed(901, "n1")), usage: usage{files: 5}, age: 2},
		{path: string(s.closed(902, "n1")), usage: usage{files: 5}, age: 1}}
	if removed, left, err := f.makeRoom(finished, nil, usage{bytes: -1, files: 3}); removed != 1 || left.files != -2 ||
		err != nil {
		t.Errorf("3 inodes over: %d removed, %+v left, %v", removed, left, err)
	}
}

// A history or a shared directory that hangs does not keep the spool from being trimmed.
func TestSweepThatHangsTrims(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.closed(1, "n1")
	hanging := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	release := make(chan struct{})
	defer func() { // what was left behind writes into the directory
		close(release)
		jobtest.Until(t, "the run is released", func() bool { return unlocked(hanging) })
	}()
	f := s.finisher("n1")
	f.Config.Epilog.WorkerS, f.Config.Spool.MaxRuns = 1, 1
	f.onCrashPoint = func(State, crashPoint) { <-release }
	did, err := f.Sweep(context.Background(), true)
	if !errors.Is(err, errHangs) || did.Waiting != 1 || did.Removed != 1 {
		t.Errorf("%+v, %v", did, err)
	}
	if _, err := hanging.ReadRun(); err != nil {
		t.Errorf("the run that a process works on was removed: %v", err)
	}
}

// A history that fails for days must not fill the disks of the nodes: profiles go
// first, whose records are made, then whole runs, and each is a line in the log.
func TestUnfinishedRunsStayWithinTheSize(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	history := s.cfg.History.Path
	s.cfg.History.Path = s.work // a directory
	var dirs []job.RunDir
	for id := range 3 {
		key := run.Key{Cluster: "test", JobID: run.JobID(id + 1)}
		dirs = append(dirs, s.run("n1", "n1", key, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true))
	}
	running := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5}, false)
	var lines []string
	f := s.finisher("n1")
	f.Log = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if _, err := f.Sweep(context.Background(), true); err == nil || len(lines) != 0 {
		t.Fatalf("%v, log %q", err, lines)
	}
	profiles := 0
	for _, d := range dirs {
		info, err := os.Stat(d.ProfilePath())
		must(t, err)
		profiles += int(info.Size())
	}
	all := int64(0)
	for _, d := range append(dirs, running) {
		all += measure(string(d)).bytes
	}
	f.Config.Spool.MaxGB = float64(all-int64(profiles)) / 1e9
	_, _, err := f.trim()
	must(t, err)
	if len(lines) != 3 || !strings.Contains(lines[0], "removed the profile of test-") {
		t.Errorf("log %q", lines)
	}
	s.cfg.History.Path = history
	if did := s.sweep("n1"); did.Finished != 3 {
		t.Errorf("from the records: %+v", did)
	}
	must(t, os.Remove(dirs[0].Path(doneFile)))
	f.Config.Spool.MaxGB = 0
	_, _, err = f.trim()
	must(t, err)
	if _, err := os.Stat(string(dirs[0])); err == nil || !strings.Contains(lines[len(lines)-1], "removed test-1.r0") {
		t.Errorf("the run that is not finished is still there: %q", lines)
	}
	if _, err := os.Stat(running.ProfilePath()); err != nil {
		t.Errorf("a run that goes on: %v", err)
	}
}

// A run that could not be finished within a month is abandoned, however often it was tried.
func TestRunsAreAbandoned(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.History.Path = s.work // a directory
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	end, err := ReadEnd(dir)
	must(t, err)
	for _, age := range []time.Duration{abandonAfter - time.Hour, abandonAfter + time.Hour} {
		end.Real = epoch(time.Now().Add(-age))
		must(t, dir.WriteJSON(endFile, end))
		_, _ = s.finisher("n1").Sweep(context.Background(), true) // an error each time
		if _, err := os.Stat(string(dir)); (err != nil) != (age > abandonAfter) {
			t.Errorf("after %v: %v", age, err)
		}
	}
}

// Without spool.keep the files are removed and the state is kept: a repeated Epilog finds that the run is over.
func TestFinishedRunIsRemembered(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.Spool.Keep = "none"
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	must(t, s.finisher("n1").Finish(context.Background(), dir))
	if _, err := os.Stat(dir.ProfilePath()); err == nil {
		t.Error("the profile is still there")
	}
	found, _, over, err := Find(job.NodeDir(s.cfg.Spool.Dir, "n1"), seven)
	if found != "" || !over || err != nil {
		t.Errorf("found %q, over %v, %v", found, over, err)
	}
	must(t, filepath.WalkDir(string(dir), func(p string, _ os.DirEntry, err error) error {
		old := time.Now().Add(-2 * rememberFor)
		return errors.Join(err, os.Chtimes(p, old, old))
	}))
	s.sweep("n1")
	if _, err := os.Stat(string(dir)); err == nil {
		t.Error("the finished run is remembered for ever")
	}
}

// Files that a crash left incomplete are removed after a time, and complete runs are finished.
func TestTornFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	o := profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4}
	whole := s.run("n1", "n1", seven, o, true)
	must(t, os.WriteFile(whole.PIDPath(), nil, 0o600))
	torn := s.run("n1", "n1", run.Key{Cluster: "test", JobID: 8}, o, true)
	must(t, os.WriteFile(torn.EnvPath(), nil, 0o600))
	must(t, filepath.WalkDir(string(torn), func(p string, _ os.DirEntry, err error) error {
		old := time.Now().Add(-2 * time.Hour)
		return errors.Join(err, os.Chtimes(p, old, old))
	}))
	did, _ := s.finisher("n1").Sweep(context.Background(), true) // the torn one is an error, this time
	if did.Finished != 1 || !Done(whole) {
		t.Errorf("%+v", did)
	}
	if _, err := os.Stat(string(torn)); err == nil {
		t.Error("the torn run is still there")
	}
}
