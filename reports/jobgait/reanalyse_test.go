package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/job/slurm"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/epilog/archive"
	"jobgait/epilog/finish"
)

// archivedRuns is the number of runs that are reanalysed.
const archivedRuns = 24

// archivedSite is a site whose hooks have finished runs of three applications, and its
// settings.
func archivedSite(t *testing.T, runs int) (cfg configs.Config, env []string) {
	t.Helper()
	root := t.TempDir()
	cfg = configs.Default()
	cfg.Spool.Dir, cfg.Spool.Keep = filepath.Join(root, "spool"), "none"
	cfg.Collect = configs.Collect{Dir: filepath.Join(root, "collect"), Archive: filepath.Join(root, "archive")}
	cfg.History.Path, cfg.Report.MinElapsedS, cfg.Slurm, cfg.Watch.Root = filepath.Join(root, "history.db"), 0,
		configs.Slurm{}, true
	settings := fmt.Sprintf("[collect]\ndir = %q\naccount = \"\"\narchive = %q\n[history]\npath = "+
		"%q\n[slurm]\nscontrol = \"\"\n",
		cfg.Collect.Dir, cfg.Collect.Archive, cfg.History.Path)
	if err := os.WriteFile(filepath.Join(root, "jobgait.toml"), []byte(settings), 0o644); err != nil {
		t.Fatal(err)
	}
	for i := range runs {
		if err := hooksFinish(t, cfg, i); err != nil {
			t.Fatal(err)
		}
	}
	return cfg, []string{"JOBGAIT_CONFIG=" + filepath.Join(root, "jobgait.toml"), accountRole + "=jobgait"}
}

// hooksFinish has the hooks finish run i, an hour after the one before.
func hooksFinish(t *testing.T, cfg configs.Config, i int) error {
	key := run.Key{Cluster: "test", JobID: run.JobID(100 + i)}
	dir := job.Dir(cfg.Spool.Dir, "n1", key)
	real, mono := job.Clock()
	real -= 3600 * float64(archivedRuns-i)
	r := job.Run{Key: key, Node: "n1", BootID: job.BootID(), StartReal: real - 5, StartMono: mono - 5,
		Job: run.Job{User: "alice", UID: os.Getuid(), GID: os.Getgid(), NNodes: 1, NodeList: "n1", WorkDir: t.TempDir(),
			Name: fmt.Sprintf("case-%c", 'a'+i%3)}}
	o := profiletest.SyntheticRun{Key: key, Node: "n1", Seconds: 5, PeriodS: .3 + .1*float64(i%3), Seal: true,
		Seed: uint64(i)}
	f := finish.Finisher{Config: cfg, Spool: job.NodeDir(cfg.Spool.Dir, "n1"),
		Program:   filepath.Join(cfg.Spool.Dir, "absent"),
		Scheduler: slurm.Scheduler{}, Log: t.Logf}
	err := errors.Join(os.MkdirAll(string(dir), 0o700), dir.WriteRun(r), profiletest.Write(dir.ProfilePath(), o),
		finish.WriteEnd(dir, finish.RunEnd{Real: real, Mono: mono, BootID: r.BootID, Exit: &run.Exit{}, Job: r.Job}))
	if err != nil {
		return err
	}
	return f.Finish(t.Context(), dir)
}

// storedBodies are the summaries of all runs of a history, as JSON.
func storedBodies(t *testing.T, path string) map[string]string {
	t.Helper()
	db, err := history.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs(t.Context(), history.Query{Limit: 10 * archivedRuns})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, r := range runs {
		s, _, err := db.Summary(t.Context(), r.DisplayID)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		all[r.DisplayID] = string(text)
	}
	return all
}

func resultsIn(dir string) int {
	list, _ := filepath.Glob(filepath.Join(dir, "*", "*", "again.json.gz"))
	return len(list)
}

// TestReanalyse repeats the analysis of all runs, is killed half way, and ends with the same results as the
// hooks: in a new history, and in the hooks' history.
func TestReanalyse(t *testing.T) {
	cfg, env := archivedSite(t, archivedRuns)
	want := storedBodies(t, cfg.History.Path)
	if len(want) != archivedRuns {
		t.Fatalf("the hooks have made %d runs", len(want))
	}
	got := askIn(env, "reanalyse", "--dry-run")
	if got.status != 0 || !strings.Contains(got.out, "24 archived runs in "+cfg.Collect.Archive+
		", 24 to be analysed") || !strings.Contains(got.out, "core hours") {
		t.Errorf("%+v", got)
	}
	anew := filepath.Join(t.TempDir(), "anew.db")
	killHalfWay(t, cfg, env, anew)
	if _, err := os.Stat(anew); err == nil {
		t.Error("half of the runs are in the history")
	}
	if got := askIn(env, "reanalyse", "--part", "0/2"); got.status != 0 || got.out != "" {
		t.Errorf("a part: %+v", got)
	}
	for _, path := range []string{anew, cfg.History.Path} {
		got := askIn(env, "reanalyse", "--history", path)
		if got.status != 0 || got.out != fmt.Sprintf("%d runs written to %s\n", archivedRuns, path) || got.complaint != "" {
			t.Errorf("%+v", got)
		}
		made := storedBodies(t, path)
		for id := range want {
			if made[id] != want[id] {
				t.Errorf("%s: job %s is\n%.2000s\nthe hooks made\n%.2000s", path, id, made[id], want[id])
			}
		}
		if len(made) != len(want) || resultsIn(cfg.Collect.Archive) != 0 {
			t.Errorf("%s: %d runs, %d results are left in the archive", path, len(made), resultsIn(cfg.Collect.Archive))
		}
	}
}

// killHalfWay kills a reanalysis when a third of it is done.
func killHalfWay(t *testing.T, cfg configs.Config, env []string, to string) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/proc/self/exe", "reanalyse", "--jobs", "1", "--history", to)
	cmd.Env = env
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	jobtest.Until(t, "a third is analysed", func() bool { return resultsIn(cfg.Collect.Archive) >= archivedRuns/3 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if n := resultsIn(cfg.Collect.Archive); n < archivedRuns/3 || n >= archivedRuns || said.Len() > 0 {
		t.Fatalf("killed when %d of %d runs were analysed: %s", n, archivedRuns, said.String())
	}
}

// A profile that is damaged beyond reading leaves its run unchanged, which is reported; others are reanalysed.
func TestReanalyseWithoutAProfile(t *testing.T) {
	cfg, env := archivedSite(t, 3)
	if err := os.RemoveAll(filepath.Join(cfg.Collect.Archive, "test-0", "test-101.r0", "n1")); err != nil {
		t.Fatal(err)
	}
	want := storedBodies(t, cfg.History.Path)
	got := askIn(env, "reanalyse")
	if got.status != 1 || !strings.Contains(got.complaint, "1 run not analysed and left unchanged") ||
		!strings.Contains(got.complaint, "node n1 is not in the archive") ||
		strings.Count(got.complaint, "\n") != 1 || !strings.HasPrefix(got.out, "2 runs written to") {
		t.Errorf("%+v", got)
	}
	if made := storedBodies(t, cfg.History.Path); made["101"] != want["101"] || len(made) != len(want) {
		t.Errorf("%d runs, job 101 is\n%s", len(made), made["101"])
	}
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, "list the archive", []string{"--archive", filepath.Join(t.TempDir(), "absent")}},
		{2, "--part x", []string{"--part", "x"}},
		{2, "--jobs -1", []string{"--jobs", "-1"}},
		{2, "reanalyse needs exactly one", []string{"--history", "a.db,b.db"}},
	} {
		if got := askIn(env, append([]string{"reanalyse"}, c.args...)...); got.status != c.status ||
			!strings.Contains(got.complaint, c.want) {
			t.Errorf("%v: %+v", c.args, got)
		}
	}
	if got := askIn([]string{"JOBGAIT_CONFIG=" + fileOf(t, "x.toml", "")}, "reanalyse"); got.status != 1 ||
		!strings.Contains(got.complaint, "archives no profiles") {
		t.Errorf("%+v", got)
	}
}

// Two builds of one version differ: what the other has analysed is analysed again, and
// what this one has is not.
func TestReanalyseAfterAnotherBuild(t *testing.T) {
	cfg, env := archivedSite(t, 3)
	if got := askIn(env, "reanalyse", "--part", "0/1"); got.status != 0 || resultsIn(cfg.Collect.Archive) != 3 {
		t.Fatalf("%+v, %d results", got, resultsIn(cfg.Collect.Archive))
	}
	runs, err := archive.Runs(cfg.Collect.Archive)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ build, version string }{{"another", ""}, {"", configs.Version}} {
		text, err := json.Marshal(map[string]any{"build": c.build, "version": c.version,
			"summary": summary.Summary{Schema: summary.Schema}})
		if err != nil {
			t.Fatal(err)
		}
		packed, err := summary.Encode(json.RawMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(string(runs[1]), "again.json.gz"), packed, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := askIn(env, "reanalyse", "--dry-run"); !strings.Contains(got.out, "3 archived runs in") ||
			!strings.Contains(got.out, ", 1 to be analysed") {
			t.Errorf("%+v: %+v", c, got)
		}
	}
	want := storedBodies(t, cfg.History.Path)
	if got := askIn(env, "reanalyse"); got.status != 0 || got.complaint != "" {
		t.Errorf("%+v", got)
	}
	for id, made := range storedBodies(t, cfg.History.Path) {
		if made != want[id] {
			t.Errorf("job %s is\n%.2000s\nthe hooks made\n%.2000s", id, made, want[id])
		}
	}
}
