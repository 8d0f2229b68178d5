package summary

import (
	"math"
	"slices"
	"testing"

	"jobgait/analysis/series"
)

func TestSlowColumnsJoinTheTimeline(t *testing.T) {
	slow := series.Set{StartS: 50, StepS: 1, Columns: []series.Column{
		{Name: "disk_write_bytes", Unit: "bytes/s", Scope: series.NodeScope, Values: series.Values{0, 0, 0}},
		{Name: "mem_used", Unit: "bytes", Scope: series.NodeScope, Values: series.Values{5, 5, 5}},
		{Name: "cgroup_mem", Unit: "bytes", Scope: series.JobScope, Values: series.Values{10, series.Missing(), 30}},
	}}
	for _, c := range []struct {
		what  string
		stepS float64
		bins  int
		mean  series.Values
	}{
		{"bins shorter than a sample repeat it", 0.5, 6, series.Values{10, 10, series.Missing(), series.Missing(), 30, 30}},
		{"longer ones have the mean", 2, 2, series.Values{10, 30}},
		{"one for all", 3, 1, series.Values{20}},
		{"behind the last sample there is none", 1, 4, series.Values{10, series.Missing(), 30, series.Missing()}},
	} {
		line := Timeline{StartS: 50, StepS: c.stepS,
			Columns: []TimelineColumn{{Name: busyColumn, Mean: make(series.Values, c.bins)}}}
		got := line.WithSlow(slow)
		if len(got.Columns) != 2 || got.Columns[1].Name != "cgroup_mem" {
			t.Fatalf("%s: columns %+v", c.what, got.Columns)
		}
		same := func(a, b float32) bool { return a == b || math.IsNaN(float64(a)) && math.IsNaN(float64(b)) }
		if m := got.Columns[1].Mean; !slices.EqualFunc(m, c.mean, same) {
			t.Errorf("%s: %v, want %v", c.what, m, c.mean)
		}
	}
	if got := (Timeline{}).WithSlow(series.Set{}); len(got.Columns) != 0 {
		t.Errorf("columns of nothing: %v", got.Columns)
	}
}
