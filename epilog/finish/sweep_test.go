package finish

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/run"
)

// The first node reports without missing nodes; when their records arrive, a sweep replaces the report.
func TestMissingNodeIsNamedAndLaterAdded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	o := profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}
	first := s.run("n1", "n1,n2", seven, o, true)
	s.sweep("n1")
	if got := codes(s.stored("7").Notes); !strings.Contains(got, "missing_nodes") {
		t.Errorf("notes %s", got)
	}
	if Done(first) {
		t.Fatal("closed although a node is missing")
	}
	before := s.text("jobgait-7.txt")
	s.sweep("n1")
	if s.text("jobgait-7.txt") != before {
		t.Error("a sweep without news wrote the report again")
	}
	s.run("n2", "n1,n2", seven, o, true)
	s.sweep("n2")
	s.sweep("n1")
	sum := s.stored("7")
	if !sum.Complete() || strings.Contains(codes(sum.Notes), "missing_nodes") {
		t.Errorf("nodes %+v, notes %s", sum.Nodes, codes(sum.Notes))
	}
	if !Done(first) || s.text("jobgait-7.txt") == before {
		t.Error("the report was not replaced")
	}
}

// A sweep leaves running jobs alone: locked ones and those without an end.
func TestSweepLeavesRunningJobsAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	running := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5}, false)
	eight := run.Key{Cluster: "test", JobID: 8}
	locked := s.run("n1", "n1", eight, profiletest.SyntheticRun{Seconds: 5}, true)
	lock, err := locked.TryLock()
	must(t, err)
	if did := s.sweep("n1"); did.Finished != 0 || did.Waiting != 2 || endKnown(running) {
		t.Errorf("%+v, ended %v", did, endKnown(running))
	}
	must(t, lock.Close())
	if did := s.sweep("n1"); did.Finished != 1 || did.Waiting != 1 {
		t.Errorf("%+v", did)
	}
}

// The node was rebooted: the job is over, and what was saved is reported.
func TestSweepAfterAReboot(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4}, false)
	r, err := dir.ReadRun()
	must(t, err)
	r.BootID = "another"
	must(t, dir.WriteRun(r))
	if did := s.sweep("n1"); did.Finished != 1 {
		t.Errorf("%+v", did)
	}
	if got := codes(s.stored("7").Notes); !strings.Contains(got, "agent_died") {
		t.Errorf("notes %s", got)
	}
}

// The sweep leaves a run alone if its worker is about to begin.
func TestSweepLeavesFreshRunsAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, false)
	real, mono := job.Clock()
	must(t, WriteEnd(dir, RunEnd{Real: real, Mono: mono, BootID: job.BootID()}))
	if did := s.sweep("n1"); did.Finished != 0 || did.Waiting != 1 {
		t.Errorf("%+v", did)
	}
}

// A crash may tear the file that says how a run ended: an Epilog or a sweep
// writes it again, and the run is finished.
func TestTornEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4}, true)
	must(t, os.WriteFile(dir.Path(endFile), nil, 0o600))
	r, err := dir.ReadRun()
	must(t, err)
	r.BootID = "before the crash"
	must(t, dir.WriteRun(r))
	if did := s.sweep("n1"); did.Finished != 1 || !Done(dir) {
		t.Errorf("%+v", did)
	}
}

// Not every sweep at the end of another job tries a run that cannot be finished; a sweep by hand does.
func TestRetriesArePutOff(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	good := s.cfg.History.Path
	s.cfg.History.Path = filepath.Join(s.root, "work") // a directory
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	if _, err := s.finisher("n1").Sweep(context.Background(), false); err == nil {
		t.Fatal("a history that is a directory is no error")
	}
	s.cfg.History.Path = good
	if did, err := s.finisher("n1").Sweep(context.Background(), false); err != nil || did.Finished != 0 {
		t.Errorf("at once: %+v, %v", did, err)
	}
	if did := s.sweep("n1"); did.Finished != 1 || !Done(dir) {
		t.Errorf("by hand: %+v", did)
	}
}

// The first node died with its disk: the sweeping node reports the records of the others in the end.
func TestRunOfADeadCollectorIsAdopted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dir := s.run("n2", "n1,n2", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}, true)
	must(t, s.finisher("n2").Finish(context.Background(), dir))
	s.sweep("n2")
	if _, err := os.Stat(s.cfg.History.Path); err == nil {
		t.Fatal("adopted at once")
	}
	jobs, err := filepath.Glob(filepath.Join(s.cfg.Collect.Dir, "runs", "*"))
	if err != nil || len(jobs) != 1 {
		t.Fatalf("%v %v", jobs, err)
	}
	old := time.Now().Add(-adoptAfter - time.Minute)
	must(t, os.Chtimes(jobs[0], old, old))
	s.sweep("n2")
	if got := codes(s.stored("7").Notes); !strings.Contains(got, "missing_nodes") {
		t.Errorf("notes %s", got)
	}
	s.text("jobgait-7.txt")
	if left, _ := filepath.Glob(filepath.Join(jobs[0], "*")); len(left) != 1 {
		t.Errorf("the record, which a late first node needs, is not left alone there: %v", left)
	}
}
