package finish

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
)

// finishVerb makes the test program a worker that kills itself at one point: its arguments are the site's directory,
// the node, history.ingest, the state and the moment.
const finishVerb = "__finish"

// killedWorker is that worker. It ends only if the run does not pass the point.
func killedWorker(args []string) error {
	state, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	m, err := strconv.Atoi(args[4])
	if err != nil {
		return err
	}
	f := siteIn(&testing.T{}, args[0]).withHistory(args[2]).finisher(args[1])
	f.Log = func(string, ...any) {}
	f.onCrashPoint = func(s State, at crashPoint) {
		if s == State(state) && at == crashPoint(m) {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	return f.Finish(context.Background(), job.Dir(f.Config.Spool.Dir, args[1], seven))
}

// withHistory is the site with history.ingest set and an archive of profiles.
func (s site) withHistory(ingest string) site {
	s.cfg.History.Ingest = ingest
	s.cfg.Collect.Archive, s.cfg.Report.Formats = filepath.Join(s.root, "archive"), []string{"txt"}
	return s
}

// point is one at which a worker can die.
type point struct {
	state State
	at    crashPoint
}

func (p point) String() string { return fmt.Sprintf("%v, %v", p.state, p.at) }

// points are those that a run of the node passes.
func (s site) points(node string, dir job.RunDir) (passed []point) {
	s.t.Helper()
	f := s.finisher(node)
	f.onCrashPoint = func(state State, at crashPoint) { passed = append(passed, point{state, at}) }
	must(s.t, f.Finish(s.t.Context(), dir))
	return passed
}

// killAt lets a separate worker process finish the run of a node and kills it at the given point.
func (s site) killAt(node string, p point) {
	s.t.Helper()
	self, err := os.Executable()
	must(s.t, err)
	cmd := exec.CommandContext(s.t.Context(), self, finishVerb, s.root, node, s.cfg.History.Ingest,
		strconv.Itoa(int(p.state)), strconv.Itoa(int(p.at)))
	cmd.Env = []string{}
	out, err := cmd.CombinedOutput()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
		s.t.Fatalf("the worker was not killed at %v: %v %s", p, err, out)
	}
}

// A worker that is killed with SIGKILL at any point between two states leaves what the next sweeps complete: one
// report, one row or job record, the profile and the run in the archive, no record of a node left over. A report whose
// delivery is proved is not delivered again.
func TestKillBetweenTwoStates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, node, nodes string }{
		{"one node", "n1", "n1"}, {"the node that collects", "n1", "n1,n2"}, {"a node that does not", "n2", "n1,n2"},
	} {
		for _, ingest := range []string{"here", "spool"} {
			if c.node != "n1" && ingest == "here" {
				continue // is the same as with the history nodesReportedElsewhere
			}
			t.Run(c.name+", history "+ingest, func(t *testing.T) {
				t.Parallel()
				trial := newSite(t).withHistory(ingest)
				for _, p := range trial.points(c.node, trial.prepared(c.node, c.nodes)) {
					t.Run(fmt.Sprint(p), func(t *testing.T) {
						s := newSite(t).withHistory(ingest)
						dir := s.prepared(c.node, c.nodes)
						s.killAt(c.node, p)
						s.completed(c.node, c.nodes, dir, p)
					})
				}
			})
		}
	}
}

// prepared is the run of a node that has ended; if that node collects, the others have reported.
func (s site) prepared(node, nodes string) job.RunDir {
	s.t.Helper()
	o := profiletest.SyntheticRun{Seconds: 2, PeriodS: 0.4, Seal: true}
	if node == "n1" && nodes != node {
		must(s.t, s.finisher("n2").Finish(s.t.Context(), s.run("n2", nodes, seven, o, true)))
	}
	return s.run(node, nodes, seven, o, true)
}

// proved is the state that the files of a run directory prove after a kill at the point.
func (p point) proved(collects bool) State {
	switch {
	case p.state == Closed:
		return Closed
	case collects && (p.state > Stored || p == point{Stored, afterProof}):
		return Stored
	case collects && (p.state > Delivered || p == point{Delivered, afterProof}):
		return Delivered
	}
	return Analysed
}

// completed sweeps after a kill at the point and checks that the run is finished once.
func (s site) completed(node, nodes string, dir job.RunDir, p point) {
	t := s.t
	t.Helper()
	if got, want := StateOf(dir), p.proved(node == "n1"); got != want {
		t.Errorf("after the kill the files prove the state %v, want %v", got, want)
	}
	report := filepath.Join(s.work, "jobgait-7.txt")
	before, delivered := inode(report)
	s.sweep(node)
	if node != "n1" { // the node that collects comes last
		s.run("n1", nodes, seven, profiletest.SyntheticRun{Seconds: 2, PeriodS: 0.4, Seal: true}, true)
		s.sweep("n1")
	}
	after, ok := inode(report)
	if !ok {
		t.Fatal("no report")
	}
	if again := before != after; delivered && p.proved(true) >= Delivered && again {
		t.Error("the report was delivered again after its delivery was proved")
	}
	s.sweep(node)
	s.sweep("n1")
	if last, _ := inode(report); last != after {
		t.Error("a later sweep delivered the report again")
	}
	if strings.Contains(s.text("jobgait-7.txt"), "missing_nodes") {
		t.Error("the report lacks a node")
	}
	if StateOf(dir) != Closed {
		t.Errorf("the state is %v", StateOf(dir))
	}
	for what, want := range map[string]int{"work/*": 1, "collect/runs/*/*": 0,
		"archive/*/*/run.json.gz": 1, "archive/*/*/*/profile.jgp": 1 + strings.Count(nodes, ",")} {
		if files, err := filepath.Glob(filepath.Join(s.root, what)); err != nil || len(files) != want {
			t.Errorf("%s: %v, want %d", what, files, want)
		}
	}
	s.storedOnce()
}

// storedOnce checks that the history has the run, or its writer will get it, once and with its report.
func (s site) storedOnce() {
	s.t.Helper()
	if s.cfg.History.Ingest == "spool" {
		if files, _ := filepath.Glob(filepath.Join(s.cfg.Collect.Dir, "jobs", "*")); len(files) != 1 {
			s.t.Errorf("job records: %v", files)
		}
		return
	}
	db, err := history.OpenReadOnly(s.t.Context(), s.cfg.History.Path)
	must(s.t, err)
	defer db.Close()
	runs, err := db.Runs(s.t.Context(), history.Query{JobID: 7})
	if err != nil || len(runs) != 1 {
		s.t.Fatalf("%d rows, %v", len(runs), err)
	}
	if _, dir, err := db.Summary(s.t.Context(), "7"); err != nil || dir != s.work {
		s.t.Errorf("the report is in %q, %v", dir, err)
	}
}

func inode(path string) (uint64, bool) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	return info.Sys().(*syscall.Stat_t).Ino, true
}

// A hook that is killed after it stored the end, and before it started a worker, leaves the run to a sweep.
func TestKillAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t).withHistory("here")
	dir := s.prepared("n1", "n1")
	if got := StateOf(dir); got != Ended {
		t.Errorf("the state is %v", got)
	}
	s.sweep("n1")
	if StateOf(dir) != Closed {
		t.Errorf("the state is %v", StateOf(dir))
	}
	s.storedOnce()
}

// States that an older version stored in reported.json are continued.
func TestMarkOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	stored := `{"key":{"cluster":"test","job_id":7},"nodes":1,"complete":true}`
	for name, c := range map[string]struct {
		ingest, mark string
		report       bool // is delivered
	}{
		"stored, history here":      {"here", stored, false},
		"stored, history elsewhere": {"spool", stored, false},
		"reported without the history": {"here",
			`{"key":{"cluster":"","job_id":0},"nodes":0,"complete":false,"without":1}`, true},
		"reported, not handed to the history": {"spool",
			`{"key":{"cluster":"","job_id":0},"nodes":0,"complete":false,"without":1,"dir":"/home/u"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t).withHistory(c.ingest)
			dir := s.prepared("n1", "n1")
			must(t, os.WriteFile(dir.Path(reportedFile), []byte(c.mark), 0o600))
			s.sweep("n1")
			if StateOf(dir) != Closed {
				t.Errorf("the state is %v", StateOf(dir))
			}
			if _, ok := inode(filepath.Join(s.work, "jobgait-7.txt")); ok != c.report {
				t.Errorf("delivered: %v, want %v", ok, c.report)
			}
			jobs, _ := filepath.Glob(filepath.Join(s.cfg.Collect.Dir, "jobs", "*"))
			if want := c.ingest == "spool" && c.mark != stored; (len(jobs) == 1) != want {
				t.Errorf("job records %v", jobs)
			}
		})
	}
}
