package scaling

import (
	"math"
	"slices"
	"testing"

	"jobgait/analysis/note"
)

const day = 86400.0

func codes(s Series) []note.Code {
	var out []note.Code
	for _, n := range s.Notes {
		out = append(out, n.Code)
	}
	return out
}

// campaign is one run of each size on one day.
func campaign(when float64, sizes ...float64) []HistoryRun {
	var runs []HistoryRun
	for i, p := range sizes {
		runs = append(runs, HistoryRun{P: p, Value: 100 / p, When: when + float64(i)*3600, Iterations: 500})
	}
	return runs
}

// Runs without a value do not determine the setting and are not a level of a regime.
func TestComparableRunsWithoutValue(t *testing.T) {
	runs := append(campaign(0, 1, 2, 4, 8, 16, 32), campaign(10*day, 1, 2, 4)...)
	for i := range runs {
		if i >= 6 {
			runs[i].Regime, runs[i].Value = 1, 2*runs[i].Value
		}
	}
	want := Comparable(Series{Parameter: "nodes", Metric: "elapsed_s"}, runs, false)
	for i, r := range slices.Clone(runs) {
		r.Value, r.When = math.NaN(), r.When+60
		runs = append(runs, r)
		for range i {
			r.Else = "another setting"
			r.P++
			runs = append(runs, r)
		}
	}
	got := Comparable(Series{Parameter: "nodes", Metric: "elapsed_s"}, runs, false)
	if !slices.Equal(got.Observations, want.Observations) || !slices.Contains(codes(got), note.MissingRuns) {
		t.Errorf("%+v %v, want %+v", got.Observations, codes(got), want.Observations)
	}
}

func TestComparableCampaign(t *testing.T) {
	runs := campaign(0, 8, 4, 2, 1)
	runs[1].NodeHours, runs[1].Group = 3, "mon"
	s := Comparable(Series{ID: "a", Parameter: "nodes", Metric: "elapsed_s", Mode: Strong}, runs, true)
	if len(s.Notes) != 0 || s.Uncut || len(s.Observations) != 4 || s.ID != "a" || s.Mode != Strong {
		t.Fatalf("%+v", s)
	}
	if o := s.Observations[2]; o.P != 4 || o.Value != 25 || o.NodeHours != 3 || o.Group != "mon" {
		t.Errorf("%+v", o)
	}
}

func TestComparableOneParameter(t *testing.T) {
	a, b := campaign(0, 1, 2, 4), campaign(day, 1, 2)
	for i := range b {
		b[i].Else = "other input"
	}
	for i := range a {
		a[i].Else = "input A"
	}
	if s := Comparable(Series{}, b, false); s.Fixed != "other input" || len(s.Notes) != 0 {
		t.Errorf("one setting: %q, notes %v", s.Fixed, s.Notes)
	}
	s := Comparable(Series{Parameter: "nodes"}, append(a, b...), false)
	if len(s.Observations) != 3 || s.Fixed != "input A" || !slices.Equal(codes(s), []note.Code{note.OtherParameters}) {
		t.Errorf("%d runs of %q, notes %v", len(s.Observations), s.Fixed, s.Notes)
	}
}

func TestComparableIterations(t *testing.T) {
	runs := campaign(0, 1, 2, 4)
	runs[2].Iterations = 515
	if s := Comparable(Series{Metric: "elapsed_s"}, runs, true); len(s.Observations) != 0 ||
		!slices.Equal(codes(s), []note.Code{note.IterationsDiffer}) {
		t.Errorf("3 %% more iterations: %d runs, notes %v", len(s.Observations), s.Notes)
	}
	if s := Comparable(Series{Metric: "step_s"}, runs, false); len(s.Observations) != 3 || len(s.Notes) != 0 {
		t.Errorf("the time of one iteration: %d runs, notes %v", len(s.Observations), s.Notes)
	}
	runs[2].Iterations = 509
	if s := Comparable(Series{Metric: "elapsed_s"}, runs, true); len(s.Observations) != 3 {
		t.Errorf("1.8 %% more iterations: notes %v", s.Notes)
	}
}

// TestComparableCalendar: sizes 1 and 2 were run before and after a change that
// made everything 20 % slower, 4 only before it, 8 only after it.
func TestComparableCalendar(t *testing.T) {
	before, after := campaign(0, 1, 2, 4), campaign(60*day, 1, 2, 8)
	for i := range after {
		after[i].Value *= 1.2
		if after[i].P < 8 {
			after[i].Regime = 1
		}
	}
	s := Comparable(Series{Parameter: "nodes"}, append(before, after...), false)
	if want := []note.Code{note.OtherRegime, note.AdjustedForChange}; !slices.Equal(codes(s), want) || s.Uncut {
		t.Fatalf("notes %v, uncut %v", s.Notes, s.Uncut)
	}
	for _, o := range s.Observations {
		if math.Abs(o.Value-120/o.P) > 1e-9 {
			t.Errorf("at %g: %g, want %g", o.P, o.Value, 120/o.P)
		}
	}
	// One size spans the time without a change, so the change did not affect all sizes.
	bridge := []HistoryRun{{P: 16, Value: 7, When: day}, {P: 16, Value: 7, When: 61 * day},
		{P: 32, Value: 4, When: 2 * day}, {P: 32, Value: 4, When: 62 * day}}
	s = Comparable(Series{Parameter: "nodes"}, slices.Concat(before, after, bridge), false)
	for _, o := range s.Observations {
		if want := 100 / o.P * 1.1; o.P == 4 && math.Abs(o.Value-want) > 1e-9 {
			t.Errorf("two of four sizes saw 20 %%: size 4 is %g, want the median %g", o.Value, want)
		}
	}
}

func TestComparableConfounded(t *testing.T) {
	runs := append(campaign(0, 1, 2, 4, 8), campaign(30*day, 16, 32, 64, 128)...)
	for i := range runs[4:] {
		runs[4+i].Value *= 2 // scale or calendar?
	}
	s := Comparable(Series{Parameter: "nodes", Metric: "step_s"}, runs, false)
	if !s.Uncut || !slices.Equal(codes(s), []note.Code{note.ConfoundedWithTime}) {
		t.Fatalf("uncut %v, notes %v", s.Uncut, s.Notes)
	}
	for _, m := range methods() {
		r := Analyse([]Series{s}, m)[0]
		if r.Segmented || len(r.Cuts) > 0 || !hasNote(r, note.ConfoundedWithTime) {
			t.Errorf("%s: segmented %v, cuts %v, notes %v", m, r.Segmented, r.Cuts, r.Notes)
		}
	}
	// One size measured again distinguishes them.
	runs = append(runs, HistoryRun{P: 8, Value: 100. / 8, When: 31 * day})
	if s := Comparable(Series{Parameter: "nodes"}, runs, false); s.Uncut {
		t.Errorf("a size bridges the time: %v", s.Notes)
	}
}

func TestComparableNothing(t *testing.T) {
	s := Comparable(Series{ID: "x", Parameter: "nodes"}, nil, true)
	r := Analyse([]Series{s}, Likelihood)[0]
	if len(s.Observations) != 0 || !hasNote(r, note.NeedMore) {
		t.Errorf("%+v, notes %v", s, r.Notes)
	}
}
