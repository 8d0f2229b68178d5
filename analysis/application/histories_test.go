package application

import (
	"maps"
	"math"
	"slices"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
)

func ptr[T any](x T) *T { return &x }

// stored returns a history of n runs, one a day. From run at on the executable differs and runs take a seventh
// longer.
func stored(n, at int, step bool) history.ApplicationRuns {
	h := history.ApplicationRuns{SeriesID: 7, Cluster: "hpc", User: "alice", App: "melt", Shape: "1n 4t 1c"}
	for i := range n {
		level, build := 60.0, "b1"
		if i >= at {
			level, build = 69, "b2"
		}
		y := level * (1 + 0.004*math.Sin(float64(i*i)))
		r := history.Run{ID: int64(100 + i), SeriesID: 7, DisplayID: "j", Start: float64(20000+i) * day, ElapsedS: y,
			Exit: &run.Exit{}}
		if step {
			r.StepS = ptr(y / 100)
		}
		h.Runs = append(h.Runs, r)
		h.Fields = append(h.Fields, map[string]string{run.FieldBuildID: build})
		h.Nodes = append(h.Nodes, []string{"n1"})
	}
	return h
}

func TestChangeOfStoredRuns(t *testing.T) {
	h, err := NewHistories([]history.ApplicationRuns{stored(30, 20, true)}, "")
	if err != nil {
		t.Fatal(err)
	}
	if h.Inputs[0].Metric != "step_s" {
		t.Errorf("judged by %s", h.Inputs[0].Metric)
	}
	if also := slices.Sorted(maps.Keys(h.Inputs[0].Also)); !slices.Equal(also, []string{"elapsed_s"}) {
		t.Errorf("beside it %q: what is known besides, and not itself", also)
	}
	found := analysed(h)
	if len(found.Changes) != 1 || found.Changes[0].Index != 20 {
		t.Fatalf("changes %+v", found.Changes)
	}
	events := h.Events(0, found)
	if len(events) != 1 || events[0].RunID != 120 || events[0].Metric != "step_s" || events[0].Detected == nil {
		t.Errorf("events %+v", events)
	}
	if c := found.Changes[0].Causes; len(c) == 0 || c[0].Field != run.FieldBuildID {
		t.Errorf("causes %+v", c)
	}
}

// TestFailedRunsHaveNoLevel checks that runs which ended early are no faster.
func TestFailedRunsHaveNoLevel(t *testing.T) {
	s := stored(30, 30, false)
	for _, i := range []int{10, 11, 12, 13} {
		s.Runs[i].ElapsedS, s.Runs[i].Exit = 5, &run.Exit{Signal: 15}
	}
	s.Runs[14].ElapsedS, s.Runs[14].State = 5, "TIMEOUT"
	h, err := NewHistories([]history.ApplicationRuns{s}, "")
	if err != nil {
		t.Fatal(err)
	}
	if y := h.Inputs[0].Y; !math.IsNaN(y[10]) || !math.IsNaN(y[14]) || math.IsNaN(y[15]) {
		t.Errorf("values %v", y)
	}
	if c := analysed(h).Changes; len(c) != 0 {
		t.Errorf("changes %+v", c)
	}
}

func TestLeadingMetric(t *testing.T) {
	s := stored(10, 10, true)
	for i := range 3 {
		s.Runs[i].StepS = nil
	}
	if m := leadingMetric(s.Runs); m.Name != "elapsed_s" {
		t.Errorf("7 of 10 runs have a step and %s leads", m.Name)
	}
	s.Runs[2].StepS = ptr(0.6)
	if m := leadingMetric(s.Runs); m.Name != "step_s" {
		t.Errorf("8 of 10 runs have a step and %s leads", m.Name)
	}
	if _, err := NewHistories([]history.ApplicationRuns{s}, "nonsense"); err == nil {
		t.Error("an unknown metric is taken")
	}
}

// analysed is what the change detector finds in a lone history.
func analysed(h Histories) changepoint.SeriesResult {
	return changepoint.Analyse([]changepoint.Series{h.Inputs[0].Series}, changepoint.Sequential,
		changepoint.Default()).Series[0]
}
