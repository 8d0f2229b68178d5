package application

import (
	"math"
	"path/filepath"
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/summary"
)

// loop is a pattern of that period: busy for two thirds of it.
func loop(id string, period, coverage float64) pattern.Pattern {
	n := 60
	v := make(series.Values, n)
	for i := range v {
		v[i] = float32(0.2 + 0.8*math.Max(0, math.Sin(4*math.Pi*float64(i)/float64(3*n))))
	}
	return pattern.Pattern{ID: id, Column: "code", ValuesColumn: "busy_cpus",
		Timing: periodicity.Timing{PeriodS: period, PeriodLoS: period, PeriodHiS: period, Confidence: 0.9,
			Coverage: coverage},
		Instances: 100, Values: v, P10: v, P90: v}
}

// TestStepIsOfOnePattern checks that the step of an application is the time of
// the pattern of its first run, also when another comes first.
func TestStepIsOfOnePattern(t *testing.T) {
	db, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct {
		run      int
		patterns []pattern.Pattern
		signal   int
		want     float64 // 0: none
	}{
		{0, []pattern.Pattern{loop("A", 0.5, 0.2)}, 0, 0}, // covers too little to be the reference
		{1, []pattern.Pattern{loop("A", 9, 0.9)}, 11, 0},  // crashed: this may be its start-up
		{2, []pattern.Pattern{loop("A", 0.5, 0.9)}, 0, 0.5},
		{3, []pattern.Pattern{loop("A", 0.53, 0.9)}, 0, 0.53},
		{4, []pattern.Pattern{loop("A", 1.0, 0.9)}, 0, 1.0}, // twice as slow: its shape is that of one loop
		{5, nil, 0, 0},
		// Runs before the reference that are stored again do not change.
		{0, []pattern.Pattern{loop("A", 0.5, 0.2)}, 0, 0},
		{1, []pattern.Pattern{loop("A", 9, 0.9)}, 11, 0},
		{2, []pattern.Pattern{loop("A", 0.5, 0.9)}, 0, 0.5},
	} {
		i := c.run
		start := float64(20000+i) * day
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: run.JobID(i + 1)},
			Job:   run.Job{Name: "melt", User: "alice", UID: 1001, NNodes: 1, NodeList: "n1", Executable: "lmp"},
			Start: start, End: start + 60, ElapsedS: 60, Nodes: []summary.Node{{Name: "n1", Reported: true}},
			Quality: run.Quality{Scope: "job"}}
		s.Exit = &run.Exit{Signal: c.signal}
		s.Patterns, s.Job.App = c.patterns, "step"
		s, err := Put(t.Context(), db, s, history.Ingest{})
		if err != nil {
			t.Fatal(err)
		}
		got := 0.0
		if s.StepS != nil {
			got = *s.StepS
		}
		if math.Abs(got-c.want) > 1e-9 {
			t.Errorf("run %d: step %v, want %v", i, got, c.want)
		}
		if lost := i > 2 && c.want == 0; lost != hasNote(s, note.PatternChanged) {
			t.Errorf("run %d: notes %+v", i, s.Notes)
		}
	}
	list, err := db.Histories(t.Context(), history.HistoryQuery{App: "step"})
	if err != nil || len(list) != 1 || list[0].Runs[3].StepS == nil || *list[0].Runs[3].StepS != 0.53 {
		t.Errorf("stored %+v, %v", list, err)
	}
}

func hasNote(s summary.Summary, code note.Code) bool {
	for _, n := range s.Notes {
		if n.Code == code {
			return true
		}
	}
	return false
}
