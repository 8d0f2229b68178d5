package history

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"jobgait/analysis/summary"
)

// ids returns the job ids of runs.
func ids(runs []Run) string {
	var all []string
	for _, r := range runs {
		all = append(all, r.DisplayID)
	}
	return strings.Join(all, " ")
}

func TestRuns(t *testing.T) {
	db := open(t)
	for id := range int64(6) {
		s := oneNode(id + 1)
		switch id + 1 {
		case 3:
			s.Job.User, s.Job.UID = "bob", 1002
		case 4:
			s.Job.NTasks = ptr(8)
		case 5:
			s.Key.Cluster = "other"
		case 6:
			s.Job.ArrayJobID, s.Job.ArrayTaskID = ptr(int64(100)), ptr(int64(2))
		}
		mustPut(t, db, s, Ingest{ReportDir: "/out"})
	}
	app, shape := Application(oneNode(1)), Shape(oneNode(1))
	for name, c := range map[string]struct {
		q    Query
		want string
	}{
		"all":           {Query{}, "100_2 5 4 3 2 1"},
		"limit":         {Query{Limit: 2}, "100_2 5"},
		"user":          {Query{User: "alice"}, "100_2 5 4 2 1"},
		"unknown user":  {Query{User: "carol"}, ""},
		"cluster":       {Query{Cluster: "other"}, "5"},
		"application":   {Query{App: app}, "100_2 5 4 3 2 1"},
		"shape":         {Query{App: app, Shape: shape}, "100_2 5 3 2 1"},
		"series":        {Query{Cluster: "hpc", User: "alice", App: app, Shape: shape}, "100_2 2 1"},
		"past":          {past(oneNode(6)), "2 1"},
		"before":        {Query{Before: oneNode(3).Start}, "2 1"},
		"job":           {Query{JobID: 4}, "4"},
		"array":         {Query{JobID: 100}, "100_2"},
		"raw id":        {Query{JobID: 6}, "100_2"},
		"unknown":       {Query{App: Unknown}, ""},
		"other program": {Query{App: "none"}, ""},
	} {
		runs, err := db.Runs(t.Context(), c.q)
		if err != nil || ids(runs) != c.want {
			t.Errorf("%s: %q, %v, want %q", name, ids(runs), err, c.want)
		}
	}
	runs, err := db.Runs(t.Context(), Query{JobID: 1})
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	got := fmt.Sprintf("%+v", struct {
		Run
		P, C any
	}{Run: runs[0], P: *runs[0].PeriodS, C: *runs[0].Coverage})
	for _, want := range []string{"Cluster:hpc", "JobID:1", "User:alice", "App:lmp melt-#", "Shape:1n 4t 1c",
		"ElapsedS:60.25", "ReportDir:/out", "P:0.5", "C:0.9", "NodesReported:1"} {
		if !strings.Contains(got, want) {
			t.Errorf("the run %s has no %s", got, want)
		}
	}
}

// TestRunsOfNothing checks a run of which nothing is known but its key.
func TestRunsOfNothing(t *testing.T) {
	db := openFixture(t)
	runs, err := db.Runs(t.Context(), Query{Cluster: "local:host"})
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	r := runs[0]
	if r.PeriodS != nil || r.Coverage != nil || r.Exit != nil || r.NNodes != nil || r.App != "" || r.Start != 0 ||
		r.User != "1002" {
		t.Errorf("%+v", r)
	}
}

func TestSummaryLookup(t *testing.T) {
	db := open(t)
	put := func(id int64, change func(*summary.Summary)) {
		s := oneNode(id)
		s.Start = t0 + float64(count(t, db, "internal_run"))
		if change != nil {
			change(&s)
		}
		mustPut(t, db, s, Ingest{ReportDir: fmt.Sprint("/out/", count(t, db, "internal_run")+1)})
	}
	put(123, nil)
	put(123, func(s *summary.Summary) { s.Key.Restart = 1 })
	put(123, func(s *summary.Summary) { s.Key.Cluster = "other"; s.Start -= 10 })
	put(125, func(s *summary.Summary) { s.Job.ArrayJobID, s.Job.ArrayTaskID = ptr(int64(124)), ptr(int64(7)) })
	put(123, func(s *summary.Summary) { s.Key.Sub = 1; s.Start -= 20 })
	for name, c := range map[string]struct {
		ref  Ref
		want string
	}{
		"newest":       {Ref{ID: "123"}, "/out/2"},
		"cluster":      {Ref{ID: "123", Cluster: "other"}, "/out/3"},
		"restart":      {Ref{ID: "123", Restart: ptr(0), Sub: ptr(0), Cluster: "hpc"}, "/out/1"},
		"sub run":      {Ref{ID: "123", Sub: ptr(1)}, "/out/5"},
		"array task":   {Ref{ID: "124_7"}, "/out/4"},
		"its raw id":   {Ref{ID: "125"}, "/out/4"},
		"no such task": {Ref{ID: "124_8"}, ""},
		"no such job":  {Ref{ID: "999"}, ""},
		"no cluster":   {Ref{ID: "123", Cluster: "third"}, ""},
		"nothing":      {Ref{}, ""},
		"no number":    {Ref{ID: "123'"}, ""},
	} {
		_, dir, err := db.Lookup(t.Context(), c.ref)
		if dir != c.want || errors.Is(err, ErrNotFound) != (c.want == "") {
			t.Errorf("%s: %q, %v, want %q", name, dir, err, c.want)
		}
	}
}
