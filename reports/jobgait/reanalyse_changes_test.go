package main

import (
	"database/sql"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/epilog/archive"
)

// longSeries is a series of more hourly runs than are analysed, slower from run 30 on.
func longSeries() (runs []summary.Summary) {
	for i := range 240 {
		level := 60.
		if i >= 30 {
			level = 66
		}
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "test", JobID: run.JobID(i + 1)},
			Job: run.Job{User: "alice", UID: 1000, GID: 1000, NNodes: 1, NodeList: "n1", Name: "case"}, Start: 1.7e9 +
				3600*float64(i),
			Exit: &run.Exit{}, Nodes: []summary.Node{{Name: "n1", Reported: true}}, Quality: run.Quality{Scope: "job"}}
		s.ElapsedS = level * (1 + .004*math.Sin(float64(i*i)))
		s.End = s.Start + s.ElapsedS
		runs = append(runs, s)
	}
	return runs
}

// changesIn are the changes of a history: with which run each began and was seen, how
// large it is, in percent, and in which month it was found.
func changesIn(t *testing.T, path string) (list []string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(),
		"SELECT printf('%s %s from job %s, seen with %s, %.0f, at %s', Metric, Kind, JobID, DetectedJobID, EffectPct, "+
			"strftime('%Y-%m', AtEpoch, 'unixepoch')) FROM changes ORDER BY StartEpoch")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	return list
}

// Changes that the hooks found long ago, each with the run that arrived then, are found again.
func TestReanalyseFindsOldChanges(t *testing.T) {
	_, env := archivedSite(t, 0)
	dir, hooks, anew := t.TempDir(), filepath.Join(t.TempDir(), "hooks.db"), filepath.Join(t.TempDir(), "anew.db")
	build, err := buildOf("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	db, err := history.Open(t.Context(), hooks)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range longSeries() {
		s, err := application.Put(t.Context(), db, s, history.Ingest{})
		look, lerr := application.AssessRun(t.Context(), db, s, application.DefaultLimits())
		if err := errors.Join(err, lerr, look.Store(t.Context(), db, s, s.End),
			archive.Archive{Dir: dir}.PutRun(t.Context(), archive.RunContext{Summary: s})); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	kept, err := archive.Runs(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kept {
		r, err := k.Run()
		if err := errors.Join(err, k.PutRecomputed(build, r.Summary)); err != nil {
			t.Fatal(err)
		}
	}
	if got := askIn(env, "reanalyse", "--archive", dir, "--history", anew); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	if want, got := changesIn(t, hooks), changesIn(t, anew); len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("%q, the hooks found %q", got, want)
	}
}
