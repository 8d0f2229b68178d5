package finish

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"jobgait/agent/job"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/epilog/archive"
)

// bodies are the stored summaries of runs, as JSON, by job id.
func bodies(t *testing.T, path string, ids ...string) map[string]string {
	t.Helper()
	db, err := history.OpenReadOnly(t.Context(), path)
	must(t, err)
	defer db.Close()
	all := map[string]string{}
	for _, id := range ids {
		s, _, err := db.Summary(t.Context(), id)
		must(t, err)
		text, err := json.Marshal(s)
		must(t, err)
		all[id] = string(text)
	}
	return all
}

// Reanalysed runs equal those of the hooks: on one node, and on three of which one has no profile and another
// sent nothing.
func TestAgainIsWhatTheHooksMade(t *testing.T) {
	s := newSite(t)
	s.cfg.Collect.Archive, s.cfg.Spool.Keep = filepath.Join(s.root, "archive"), "none"
	three := run.Key{Cluster: "test", JobID: 8}
	one := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 20, PeriodS: 0.4, Seal: true}, true)
	must(t, s.finisher("n1").Finish(context.Background(), one))
	s.run("n1", "n1,n2,n3,n4", three, profiletest.SyntheticRun{Seconds: 20, PeriodS: 0.7, Seal: true, Seed: 1}, true)
	s.run("n2", "n1,n2,n3,n4", three, profiletest.SyntheticRun{Seconds: 20, PeriodS: 0.7, Seed: 2}, true)
	without := s.run("n3", "n1,n2,n3,n4", three, profiletest.SyntheticRun{}, true)
	end, err := ReadEnd(without)
	must(t, err)
	must(t, os.Remove(without.Path(endFile)))
	end.NoAgent = true
	must(t, WriteEnd(without, end))
	for _, node := range []string{"n3", "n2", "n1"} {
		s.sweep(node)
	}
	want := bodies(t, s.cfg.History.Path, "7", "8")

	kept, err := archive.Runs(s.cfg.Collect.Archive)
	if err != nil || len(kept) != 2 {
		t.Fatal(kept, err)
	}
	again := filepath.Join(s.root, "again.db")
	db, err := history.Open(t.Context(), again)
	must(t, err)
	for _, k := range kept {
		sum, err := Reanalyse(k)
		must(t, err)
		_, err = application.Put(t.Context(), db, sum, history.Ingest{})
		must(t, err)
	}
	must(t, db.Close())
	for id, got := range bodies(t, again, "7", "8") {
		if got != want[id] {
			t.Errorf("job %s reanalysed:\n%s\nthe hooks made\n%s", id, got, want[id])
		}
	}
	if _, err := os.Stat(one.ProfilePath()); err == nil {
		t.Error("the spool keeps the profile")
	}
}

// An archive that accepts no files causes one line in the log.
func TestUnwritableArchive(t *testing.T) {
	s := newSite(t)
	s.cfg.Collect.Archive = filepath.Join(s.root, "archive")
	must(t, os.WriteFile(s.cfg.Collect.Archive, nil, 0o600)) // a file in its way
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	lines := 0
	f := s.finisher("n1")
	f.Log = func(string, ...any) { lines++ }
	must(t, f.Finish(context.Background(), dir))
	if s.text("jobgait-7.txt"); lines != 2 || !Done(dir) { // the node's files, and what is kept of the run
		t.Errorf("%d lines, done %v", lines, Done(dir))
	}
	if _, err := archive.Runs(string(job.RunDir(s.root).Path("nowhere"))); err == nil {
		t.Error("an archive that is not there is no error")
	}
}
