package finish

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
)

// site is a cluster in a directory: every node's spool, the collection
// directory, a user's directory and the history.
type site struct {
	t    testing.TB
	root string
	work string
	cfg  configs.Config
}

func newSite(t testing.TB) site {
	t.Helper()
	s := siteIn(t, t.TempDir())
	must(t, os.Mkdir(s.work, 0o755))
	return s
}

// siteIn is the site that newSite made in a directory.
func siteIn(t testing.TB, root string) site {
	work := filepath.Join(root, "work")
	cfg := configs.Default()
	cfg.Spool.Dir, cfg.Spool.Keep = filepath.Join(root, "spool"), "all"
	cfg.Collect = configs.Collect{Dir: filepath.Join(root, "collect"), WaitS: 0}
	cfg.Report.MinElapsedS = 0
	cfg.History.Path = filepath.Join(root, "history.db")
	cfg.Slurm = configs.Slurm{}
	cfg.Watch.Root = true // the tests' own account delivers
	return site{t, root, work, cfg}
}

func (s site) finisher(node string) Finisher {
	return Finisher{Config: s.cfg, Scheduler: scheduler.ForSettings(s.cfg, func(string) string { return "" }),
		Spool: job.NodeDir(s.cfg.Spool.Dir, node), Program: filepath.Join(s.root, "absent"), Log: s.t.Logf}
}

// run makes the run directory of a node as Prolog, agent and Epilog leave it.
// No end is stored when ended is false, and no profile without seconds.
func (s site) run(node, nodes string, key run.Key, o profiletest.SyntheticRun, ended bool) job.RunDir {
	s.t.Helper()
	dir := job.Dir(s.cfg.Spool.Dir, node, key)
	if err := os.MkdirAll(string(dir), 0o700); err != nil {
		s.t.Fatal(err)
	}
	real, mono := job.Clock()
	r := job.Run{Key: key, Node: node, BootID: job.BootID(), StartReal: real - 20, StartMono: mono - 20}
	r.Job = run.Job{User: "alice", UID: os.Getuid(), GID: os.Getgid(), NNodes: 1 + strings.Count(nodes, ","),
		NodeList: nodes, WorkDir: s.work, Name: "gyre"}
	if err := dir.WriteRun(r); err != nil {
		s.t.Fatal(err)
	}
	if o.Seconds > 0 {
		o.Key, o.Node = key, node
		if err := profiletest.Write(dir.ProfilePath(), o); err != nil {
			s.t.Fatal(err)
		}
	}
	if ended { // long enough ago for a sweep
		r.StartReal, r.StartMono = r.StartReal-2*recentEndS, r.StartMono-2*recentEndS
		if err := dir.WriteRun(r); err != nil {
			s.t.Fatal(err)
		}
		real, mono = real-2*recentEndS, mono-2*recentEndS
		if err := WriteEnd(dir, RunEnd{Real: real, Mono: mono, BootID: r.BootID, Exit: &run.Exit{}, Job: r.Job}); err != nil {
			s.t.Fatal(err)
		}
	}
	return dir
}

func (s site) sweep(node string) SweepCounts {
	s.t.Helper()
	did, err := s.finisher(node).Sweep(context.Background(), true)
	if err != nil {
		s.t.Fatalf("sweep %s: %v", node, err)
	}
	return did
}

// stored is what the history says of a job.
func (s site) stored(id string) summary.Summary {
	s.t.Helper()
	db, err := history.OpenReadOnly(context.Background(), s.cfg.History.Path)
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	sum, _, err := db.Summary(context.Background(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return sum
}

func (s site) text(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.work, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func codes(notes []note.Note) string {
	var list []string
	for _, n := range notes {
		list = append(list, string(n.Code))
	}
	return strings.Join(list, " ")
}

var seven = run.Key{Cluster: "test", JobID: 7}

func TestOneNodeFromProfileToReportAndHistory(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 20, PeriodS: 0.4, Seal: true}, true)
	if err := s.finisher("n1").Finish(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	sum := s.stored("7")
	if p, ok := sum.Period(); !ok || p < 0.38 || p > 0.42 {
		t.Errorf("period %v %v, want 0.4: %s", p, ok, codes(sum.Notes))
	}
	if text := s.text("jobgait-7.txt"); !strings.Contains(text, "400 ms") && !strings.Contains(text, "gyre") {
		t.Errorf("report:\n%s", text)
	}
	if !Done(dir) {
		t.Error("the run is not closed")
	}
}

// Finish may be killed at any point and run again with the same outcome.
func TestFinishTwiceIsFinishOnce(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 10, PeriodS: 0.4, Seal: true}, true)
	for range 2 {
		if err := s.finisher("n1").Finish(context.Background(), dir); err != nil {
			t.Fatal(err)
		}
	}
	db, err := history.OpenReadOnly(context.Background(), s.cfg.History.Path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs(context.Background(), history.Query{JobID: 7})
	if err != nil || len(runs) != 1 {
		t.Errorf("%d rows, %v", len(runs), err)
	}
	if files, _ := filepath.Glob(filepath.Join(s.work, "*")); len(files) != 3 {
		t.Errorf("files: %v", files)
	}
}

func TestLeftoversOfTheAgentAreNoted(t *testing.T) {
	for name, c := range map[string]struct {
		break_ func(t *testing.T, dir job.RunDir)
		code   string
		file   bool
	}{
		"no profile": {func(t *testing.T, dir job.RunDir) { must(t, os.Remove(dir.ProfilePath())) }, "no_profile", false},
		"not a profile": {func(t *testing.T, dir job.RunDir) {
			must(t, os.WriteFile(dir.ProfilePath(), []byte("junk"), 0o600))
		}, "profile_damaged", false},
		"cut in the middle": {func(t *testing.T, dir job.RunDir) {
			must(t, os.Truncate(dir.ProfilePath(), 15_000))
		}, "agent_died", true},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 20, PeriodS: 0.4, Seal: true}, true)
			c.break_(t, dir)
			must(t, s.finisher("n1").Finish(context.Background(), dir))
			if got := codes(s.stored("7").Notes); !strings.Contains(got, c.code) {
				t.Errorf("notes %q lack %s", got, c.code)
			}
			_, err := os.Stat(filepath.Join(s.work, "jobgait-7.txt"))
			if (err == nil) != c.file {
				t.Errorf("report: %v", err)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A report that has no place beside the output stays in the spool and says why.
func TestNowhereToGo(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	must(t, os.RemoveAll(s.work))
	must(t, s.finisher("n1").Finish(context.Background(), dir))
	kept := filepath.Join(s.cfg.Spool.Dir, "n1", "reports", seven.String(), "jobgait-7.txt")
	b, err := os.ReadFile(kept)
	if err != nil || !strings.Contains(string(b), "does not exist") {
		t.Errorf("%v\n%s", err, b)
	}
}

// The output's directory is gone: the report goes to the work directory and
// says why it is there.
func TestSecondBestDirectoryIsExplained(t *testing.T) {
	s := newSite(t)
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	r, err := dir.ReadRun()
	must(t, err)
	r.Job.StdOut = filepath.Join(s.root, "gone", "slurm-7.out")
	must(t, dir.WriteRun(r))
	must(t, s.finisher("n1").Finish(context.Background(), dir))
	if text := s.text("jobgait-7.txt"); !strings.Contains(text, "no_report_dir") || !strings.Contains(text, "gone") {
		t.Errorf("the report does not say why it is here:\n%s", text)
	}
}

func TestShortRunsHaveARowAndNoFile(t *testing.T) {
	s := newSite(t)
	s.cfg.Report.MinElapsedS = 60
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	must(t, s.finisher("n1").Finish(context.Background(), dir))
	s.stored("7")
	if files, _ := filepath.Glob(filepath.Join(s.work, "*")); len(files) != 0 {
		t.Errorf("files: %v", files)
	}
}

func TestReplayIsTheSameAnalysis(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.jgp")
	must(t, profiletest.Write(path, profiletest.SyntheticRun{Seconds: 20, PeriodS: 0.4, Seal: true}))
	s, err := Replay(path)
	must(t, err)
	if p, ok := s.Period(); !ok || p < 0.38 || p > 0.42 {
		t.Errorf("period %v: %s", p, codes(s.Notes))
	}
	if _, err := Replay(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing profile is no error")
	}
}

// In spool mode the record waits for the one writer.
func TestSpoolModeLeavesAJobRecord(t *testing.T) {
	s := newSite(t)
	s.cfg.History.Ingest = "spool"
	must(t, s.finisher("n1").Finish(context.Background(),
		s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)))
	if _, err := os.Stat(s.cfg.History.Path); err == nil {
		t.Error("a node opened the history")
	}
	if files, _ := filepath.Glob(filepath.Join(s.cfg.Collect.Dir, "jobs", "*")); len(files) != 1 {
		t.Errorf("job records: %v", files)
	}
}

// A hanging scontrol is abandoned with all processes that it started.
func TestScontrolThatHangs(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.Slurm.Scontrol = filepath.Join(s.root, "scontrol")
	script := "#!/bin/sh\n/bin/sleep 600 &\necho $! >" + s.root + "/pid.new; /bin/mv " + s.root + "/pid.new " + s.root +
		"/pid\nwait\n"
	must(t, jobtest.WriteProgram(s.cfg.Slurm.Scontrol, []byte(script)))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	if _, err := s.finisher("n1").queryScheduler(ctx, 7); err == nil {
		t.Error("no error")
	}
	b, err := os.ReadFile(filepath.Join(s.root, "pid"))
	must(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	must(t, err)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	jobtest.Until(t, "what scontrol started is gone", func() bool {
		p, err := job.ProcessOf(pid)
		return err != nil || !p.Alive()
	})
}

func FuzzReadEnd(f *testing.F) {
	f.Add([]byte(`{"real":1,"mono":2,"job":{"node_list":"n[1-3]"}}`))
	f.Add([]byte(`{"exit":null}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var e RunEnd
		if json.Unmarshal(b, &e) != nil {
			return
		}
		nodes, err := e.Nodes(job.Run{Node: "n1"})
		if err == nil && len(nodes) == 0 {
			t.Error("a run without nodes")
		}
	})
}
