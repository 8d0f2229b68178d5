package finish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// The first node reports without those that are missing; when they come, by a
// sweep, the report is replaced.
func TestMissingNodeIsNamedAndLaterAdded(t *testing.T) {
	s := newSite(t)
	o := profiletest.Options{Seconds: 10, PeriodS: 0.4, Seal: true}
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
	s := newSite(t)
	running := s.run("n1", "n1", seven, profiletest.Options{Seconds: 5}, false)
	eight := summary.RunKey{Cluster: "test", JobID: 8}
	locked := s.run("n1", "n1", eight, profiletest.Options{Seconds: 5}, true)
	lock, err := locked.TryLock()
	must(t, err)
	if did := s.sweep("n1"); did.Finished != 0 || did.Waiting != 2 || Ended(running) {
		t.Errorf("%+v, ended %v", did, Ended(running))
	}
	must(t, lock.Close())
	if did := s.sweep("n1"); did.Finished != 1 || did.Waiting != 1 {
		t.Errorf("%+v", did)
	}
}

// The node was rebooted: the job is over, and what was saved is reported.
func TestSweepAfterAReboot(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.Options{Seconds: 10, PeriodS: 0.4}, false)
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

// A run whose worker is about to begin is its worker's.
func TestSweepLeavesFreshRunsAlone(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.Options{Seconds: 5, Seal: true}, false)
	real, mono := job.Clock()
	must(t, WriteEnd(dir, End{Real: real, Mono: mono, BootID: job.BootID()}))
	if did := s.sweep("n1"); did.Finished != 0 || did.Waiting != 1 {
		t.Errorf("%+v", did)
	}
}

func TestSpoolStaysWithinItsSize(t *testing.T) {
	s := newSite(t)
	for id := range 4 {
		key := summary.RunKey{Cluster: "test", JobID: int64(id + 1)}
		must(t, s.finisher("n1").Finish(context.Background(), s.run("n1", "n1", key, profiletest.Options{Seconds: 5, Seal: true}, true)))
	}
	open := s.run("n1", "n1", seven, profiletest.Options{Seconds: 5}, false)
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

// A history that fails for days must not fill the disks of the nodes: profiles go
// first, whose records are made, then whole runs, and each is a line in the log.
func TestUnfinishedRunsStayWithinTheSize(t *testing.T) {
	s := newSite(t)
	history := s.cfg.History.Path
	s.cfg.History.Path = s.work // a directory
	var dirs []job.RunDir
	for id := range 3 {
		key := summary.RunKey{Cluster: "test", JobID: int64(id + 1)}
		dirs = append(dirs, s.run("n1", "n1", key, profiletest.Options{Seconds: 5, Seal: true}, true))
	}
	running := s.run("n1", "n1", seven, profiletest.Options{Seconds: 5}, false)
	var lines []string
	f := s.finisher("n1")
	f.Log = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if _, err := f.Sweep(context.Background(), true); err == nil || len(lines) != 0 {
		t.Fatalf("%v, log %q", err, lines)
	}
	profiles := 0
	for _, d := range dirs {
		info, err := os.Stat(d.Profile())
		must(t, err)
		profiles += int(info.Size())
	}
	all := int64(0)
	for _, d := range append(dirs, running) {
		all += measure(string(d)).bytes
	}
	f.Config.Spool.MaxGB = float64(all-int64(profiles)) / 1e9
	_, err := f.trim()
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
	_, err = f.trim()
	must(t, err)
	if _, err := os.Stat(string(dirs[0])); err == nil || !strings.Contains(lines[len(lines)-1], "removed test-1.r0") {
		t.Errorf("the run that is not finished is still there: %q", lines)
	}
	if _, err := os.Stat(running.Profile()); err != nil {
		t.Errorf("a run that goes on: %v", err)
	}
}

// A run that could not be finished in a month is given up, however often it was
// tried.
func TestRunsAreAbandoned(t *testing.T) {
	s := newSite(t)
	s.cfg.History.Path = s.work // a directory
	dir := s.run("n1", "n1", seven, profiletest.Options{Seconds: 5, Seal: true}, true)
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

// Without keep the files go and the memory stays: a repeated Epilog finds that
// the run is over.
func TestFinishedRunIsRemembered(t *testing.T) {
	s := newSite(t)
	s.cfg.Spool.Keep = "none"
	dir := s.run("n1", "n1", seven, profiletest.Options{Seconds: 5, Seal: true}, true)
	must(t, s.finisher("n1").Finish(context.Background(), dir))
	if _, err := os.Stat(dir.Profile()); err == nil {
		t.Error("the profile is still there")
	}
	found, _, over, err := Find(job.NodeDir(s.cfg.Spool.Dir, "n1"), seven)
	if found != "" || !over || err != nil {
		t.Errorf("found %q, over %v, %v", found, over, err)
	}
	must(t, filepath.WalkDir(string(dir), func(p string, _ os.DirEntry, err error) error {
		old := time.Now().Add(-2 * memory)
		return errors.Join(err, os.Chtimes(p, old, old))
	}))
	s.sweep("n1")
	if _, err := os.Stat(string(dir)); err == nil {
		t.Error("the finished run is remembered for ever")
	}
}

// What a crash tore is not in the way for ever, and what is whole is finished.
func TestTornFiles(t *testing.T) {
	s := newSite(t)
	o := profiletest.Options{Seconds: 10, PeriodS: 0.4}
	whole := s.run("n1", "n1", seven, o, true)
	must(t, os.WriteFile(whole.PID(), nil, 0o600))
	torn := s.run("n1", "n1", summary.RunKey{Cluster: "test", JobID: 8}, o, true)
	must(t, os.WriteFile(torn.Env(), nil, 0o600))
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

// A crash may tear the file that says how a run ended: an Epilog or a sweep
// writes it again, and the run is finished.
func TestTornEnd(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.Options{Seconds: 10, PeriodS: 0.4}, true)
	must(t, os.WriteFile(dir.Path(endFile), nil, 0o600))
	r, err := dir.ReadRun()
	must(t, err)
	r.BootID = "before the crash"
	must(t, dir.WriteRun(r))
	if did := s.sweep("n1"); did.Finished != 1 || !Done(dir) {
		t.Errorf("%+v", did)
	}
}

// A run that no history can take (of a Slurm that told no cluster) is reported
// once and closed: trying it again each hour would end the same way.
func TestUnfitRunIsClosed(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", summary.RunKey{JobID: 7}, profiletest.Options{Seconds: 5, Seal: true}, true)
	f := s.finisher("n1")
	var lines []string
	f.Log = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if did, err := f.Sweep(context.Background(), true); err != nil || did.Finished != 1 || !Done(dir) {
		t.Errorf("%+v, %v", did, err)
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "no cluster") {
		t.Errorf("log %q", lines)
	}
	s.text("jobgait-7.txt")
}

// A history that fails is one line, and leaves the run for later.
func TestFailedHistoryIsOneError(t *testing.T) {
	s := newSite(t)
	s.cfg.History.Path = s.work // a directory
	dir := s.run("n1", "n1", seven, profiletest.Options{Seconds: 5, Seal: true}, true)
	err := s.finisher("n1").Finish(context.Background(), dir)
	if err == nil || strings.Count(err.Error(), s.work) > 2 || strings.Contains(err.Error(), "\n") || Done(dir) {
		t.Errorf("%v", err)
	}
	s.text("jobgait-7.txt")
}

// A sweep waits once for a history that somebody holds, not for each run, and what
// it tried has its report.
func TestLockedHistoryIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip(err)
	}
	s := newSite(t)
	db, err := history.Open(context.Background(), s.cfg.History.Path)
	must(t, err)
	must(t, db.Close())
	holder := exec.Command(tool, s.cfg.History.Path)
	in, err := holder.StdinPipe()
	must(t, err)
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	defer func() { _ = errors.Join(in.Close(), holder.Wait()) }()
	_, err = io.WriteString(in, "BEGIN IMMEDIATE; SELECT 'held';\n")
	must(t, err)
	_, err = io.ReadFull(out, make([]byte, len("held")))
	must(t, err)
	for id := range int64(3) {
		s.run("n1", "n1", summary.RunKey{Cluster: "test", JobID: id + 1}, profiletest.Options{Seconds: 5, Seal: true}, true)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second) // a third of it for the history
	defer cancel()
	did, err := s.finisher("n1").Sweep(ctx, true)
	if !history.Locked(err) || did.Finished != 0 || did.Waiting != 1 {
		t.Errorf("%+v, %v", did, err)
	}
	s.text("jobgait-1.txt")
}

// A step that hangs leaves time for those after it.
func TestShare(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for _, c := range []struct {
		part       int
		most, want time.Duration
	}{{3, 2 * time.Hour, 20 * time.Minute}, {2, time.Minute, time.Minute}} {
		part, cancel := share(ctx, c.part, c.most)
		defer cancel()
		end, ok := part.Deadline()
		if left := time.Until(end); !ok || left > c.want || left < c.want/2 {
			t.Errorf("a part of %d, %v at most: %v", c.part, c.most, left)
		}
	}
}

// Sweeps at the ends of other jobs do not all pay for a run that cannot be
// finished; one by hand tries.
func TestRetriesArePutOff(t *testing.T) {
	s := newSite(t)
	good := s.cfg.History.Path
	s.cfg.History.Path = filepath.Join(s.root, "work") // a directory
	dir := s.run("n1", "n1", seven, profiletest.Options{Seconds: 5, Seal: true}, true)
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

// The first node died with its disk: the others' records are reported in the end
// by whoever sweeps.
func TestRunOfADeadCollectorIsAdopted(t *testing.T) {
	s := newSite(t)
	dir := s.run("n2", "n1,n2", seven, profiletest.Options{Seconds: 10, PeriodS: 0.4, Seal: true}, true)
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
	if _, err := os.Stat(jobs[0]); err == nil {
		t.Error("the records are still there")
	}
}
