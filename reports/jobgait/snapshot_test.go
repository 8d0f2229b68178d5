package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// TestListReadsSnapshot lists from the snapshot of the user where the site's history
// is not to be read here.
func TestListReadsSnapshot(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "users", fmt.Sprint(os.Getuid()), "history.db")
	db, err := history.Open(t.Context(), filepath.Join(dir, "live.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for i, user := range []string{"alice", "bob"} {
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: run.JobID(i + 71)},
			Job: run.Job{User: user, UID: 1001 + i, NNodes: 1, Executable: "lmp"}, Start: 1e9, End: 1e9 + 60, ElapsedS: 60,
			Nodes: []summary.Node{{Name: "n1", Reported: true}}}
		if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(own), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := db.Snapshot(t.Context(), 1001, own); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "jobgait.toml")
	text := fmt.Sprintf("[history]\npath = %q\ningest = \"spool\"\nsnapshots = %q\n", filepath.Join(dir, "elsewhere.db"),
		filepath.Join(dir, "users"))
	if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"list": "71", "show 71": "71", "show 72": "no run of job 72"} {
		var out strings.Builder
		code := runJobgait(t.Context(), []string{"JOBGAIT_CONFIG=" + config, "HOME=" + dir},
			append([]string{"jobgait"}, strings.Fields(args)...), &out, &out)
		if (code == 0) != (args != "show 72") || !strings.Contains(out.String(), want) ||
			strings.Contains(out.String(), "bob") {
			t.Errorf("%s: exit %d, %s", args, code, out.String())
		}
	}
}
