package job

import (
	"math"
	"strings"
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// TestLeakIsReported reports memory that grows until the run fails, and not memory that is flat after its start.
func TestLeakIsReported(t *testing.T) {
	for _, c := range []struct {
		name  string
		bytes func(part float64) float64
		leaks bool
	}{
		{"leak", func(part float64) float64 { return 5e7 + 1.9e9*part }, true},
		{"loads its data and works", func(part float64) float64 { return min(2e9, 5e7+2e10*part) }, false},
	} {
		s := sound()
		s.Exit = &run.Exit{Code: 1}
		memory := summary.TimelineColumn{Name: "proc_mem", Unit: "bytes", Scope: "job"}
		n := len(s.Timeline.Columns[0].Mean)
		for i := range n {
			v := float32(c.bytes(float64(i) / float64(n)))
			if i > n*9/10 { // the last reading is a second before the end
				v = float32(math.NaN())
			}
			memory.Min, memory.Mean, memory.Max = append(memory.Min, v), append(memory.Mean, v), append(memory.Max, v)
		}
		s.Timeline.Columns = append(s.Timeline.Columns, memory)
		page := textOf(t, New(s, nil, options()))
		if leaks := strings.Contains(strings.Join(strings.Fields(page), " "),
			"Memory grew through all of the run, from"); leaks != c.leaks {
			t.Errorf("%s: reported %v\n%s", c.name, leaks, page)
		}
	}
}
