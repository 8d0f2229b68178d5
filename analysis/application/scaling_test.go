package application

import (
	"fmt"
	"math"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/scaling"
)

// sizes is an application that was run three times on each number of nodes, all
// in the same week; seconds is what a run takes.
func sizes(numbers []int, seconds func(n float64) float64) []history.ApplicationRuns {
	var out []history.ApplicationRuns
	for k, n := range numbers {
		h := history.ApplicationRuns{SeriesID: int64(k + 1), Cluster: "hpc", User: "alice", App: "melt",
			Shape: fmt.Sprintf("%dn %dt 4c", n, 8*n)}
		for i := range 3 {
			y := seconds(float64(n)) * (1 + 0.002*math.Sin(float64(7*k+3*i)))
			h.Runs = append(h.Runs, history.Run{ID: int64(10*k + i), Start: float64(20000*day + 3600*(12*i+k)), ElapsedS: 10 * y,
				StepS: &y, NNodes: ptr(n), NTasks: ptr(8 * n), Exit: &run.Exit{}})
		}
		out = append(out, h)
	}
	return out
}

func TestScalingOfStoredRuns(t *testing.T) {
	h, err := NewHistories(sizes([]int{64, 2, 4, 8, 16, 32}, func(n float64) float64 { return 3 + 0.5*n }), "")
	if err != nil {
		t.Fatal(err)
	}
	list, err := h.Scaling(changepoint.Analysis{}, ScalingOptions{Mode: scaling.Weak})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d series, %v", len(list), err)
	}
	s := list[0]
	if s.Parameter != "nodes" || s.Metric != "step_s" || len(s.Observations) != 18 {
		t.Errorf("series %+v", s)
	}
	if o := s.Observations[0]; o.P != 2 || math.Abs(o.NodeHours-2*10*4/3600.) > 0.001 || o.Group != "2024-10-04" {
		t.Errorf("first observation %+v", o)
	}
	r := scaling.Analyse(list, scaling.Likelihood)[0]
	if r.Segmented || r.Whole == nil || len(r.Whole.Terms) != 1 || r.Whole.Terms[0].I != 1 || r.Whole.Terms[0].J != 0 {
		t.Errorf("model %+v of %+v", r.Whole, r)
	}
	rows := Segments(s, r)
	if len(rows) != 1 || rows[0].FirstP != 2 || rows[0].LastP != 64 || rows[0].Points != 6 || rows[0].Formula == "" ||
		rows[0].Fixed != "8 tasks a node 4c" {
		t.Errorf("rows %+v", rows)
	}
}

// Runs that failed, were cancelled or timed out never enter a series.
func TestIncompleteRunsDoNotScale(t *testing.T) {
	law := func(n float64) float64 { return 3 + 0.5*n }
	stored := sizes([]int{2, 4, 8, 16, 32, 64}, law)
	short := 0.1
	spoil := func(size, run int, exit *run.Exit, state string) {
		r := &stored[size].Runs[run]
		r.StepS, r.ElapsedS, r.Exit, r.State = &short, 1, exit, state
	}
	spoil(1, 0, &run.Exit{Code: 1}, "")
	spoil(2, 1, &run.Exit{Signal: 9}, "")
	spoil(3, 0, nil, "CANCELLED")
	spoil(3, 1, nil, "TIMEOUT")
	spoil(4, 2, &run.Exit{}, "NODE_FAIL")
	h, err := NewHistories(stored, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, metric := range []string{"step_s", "elapsed_s"} {
		list, err := h.Scaling(changepoint.Analysis{}, ScalingOptions{Metric: metric})
		if err != nil || len(list) != 1 || len(list[0].Observations) != 13 {
			t.Fatalf("%s: %v, series %+v, want 13 runs", metric, err, list)
		}
		for _, o := range list[0].Observations {
			if o.Value <= 1 {
				t.Errorf("%s: the incomplete run %+v is in the series", metric, o)
			}
		}
	}
}

func TestOneParameterVaries(t *testing.T) {
	for name, c := range map[string]struct{ shape, parameter, rest string }{
		"nodes":          {"2n 8t 4c size=L", "nodes", "4 tasks a node 4c size=L"},
		"tasks":          {"1n 8t 4c", "tasks", "1n 4c"},
		"size":           {"1n 8t 4c size=128", "size", "1n 8t 4c"},
		"unknown tasks":  {"2n ?t ?c", "nodes", "?c"},
		"nothing known":  {"?n ?t 4c size=3", "size", "?n ?t 4c"},
		"size of no sum": {"1n 8t 4c size=large", "size", "1n 8t 4c"},
	} {
		_, rest := parameterValue(c.shape, c.parameter)
		if rest != c.rest {
			t.Errorf("%s: %s has %q besides %s", name, c.shape, rest, c.parameter)
		}
	}
	one, err := NewHistories(sizes([]int{4}, func(float64) float64 { return 1 }), "")
	if err != nil {
		t.Fatal(err)
	}
	if list, err := one.Scaling(changepoint.Analysis{}, ScalingOptions{}); err != nil || len(list) != 0 {
		t.Errorf("one size gives %d series, %v", len(list), err)
	}
	if _, err := one.Scaling(changepoint.Analysis{}, ScalingOptions{Parameter: "moon"}); err == nil {
		t.Error("any parameter is taken")
	}
}
