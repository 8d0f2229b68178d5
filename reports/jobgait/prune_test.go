package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/agent/job/jobtest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

func TestPruneAndCopy(t *testing.T) {
	dir := t.TempDir()
	path, to := filepath.Join(dir, "history.db"), filepath.Join(dir, "copy.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: run.JobID(i + 1)},
			Job: run.Job{User: "alice", UID: 1001, NNodes: 1, Executable: "lmp"}, Start: 1e9, End: 1e9 + 60, ElapsedS: 60,
			Nodes: []summary.Node{{Name: "n1", Reported: true}}}
		if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "jobgait.toml")
	if err := os.WriteFile(config, []byte("[history]\npath = \""+path+"\"\n[keep]\ncopy = \""+to+"\"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--runs", "100", "--dry-run"}, 0, "runs       older than 100 days: 3 runs to look at"},
		{[]string{"--runs", "-1"}, 2, "want a number of days"},
		{[]string{"--history", filepath.Join(dir, "none.db")}, 1, "no history to prune"},
		{nil, 0, "nodes      older than 365 days: 3 runs taken away"},
		{[]string{"--runs", "100"}, 0, "copied to " + to},
	} {
		var out strings.Builder
		if code := runJobgait(t.Context(), []string{"JOBGAIT_CONFIG=" + config},
			append([]string{"jobgait", "prune"}, c.args...), &out, &out); code != c.code ||
			!strings.Contains(out.String(), c.want) {
			t.Errorf("%v: exit %d, %s", c.args, code, out.String())
		}
	}
	copied, err := history.OpenReadOnly(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	defer copied.Close()
	if runs, err := copied.Runs(t.Context(), history.Query{}); err != nil || len(runs) != 0 {
		t.Errorf("the copy has %d runs, %v", len(runs), err)
	}
}

// The unit that prunes the history every night leaves it what it needs.
func TestPruneUnderItsUnit(t *testing.T) {
	jobtest.TestsUnderUnit(t, "../../configs/systemd/jobgait-prune.service", "/", "^TestPruneAndCopy$", 1)
}
