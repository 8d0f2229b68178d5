package job

import (
	"strings"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// TestMissingSamples checks what is said of samples that lack a record, by what
// of the job's CPU time they hold.
func TestMissingSamples(t *testing.T) {
	clock := func(name, unit, scope string, total float64) run.Counter {
		return run.Counter{Name: name, Unit: unit, Scope: scope, Total: total}
	}
	for name, c := range map[string]struct {
		missing    int64
		counters   []run.Counter
		head, note bool
	}{
		"few":                 {40, nil, false, false},
		"no clock to compare": {130, nil, true, false},
		"samples only":        {130, []run.Counter{clock("cpu_time", "s", "job", 4)}, true, false},
		"all of the job was seen": {130,
			[]run.Counter{clock("cpu_time", "s", "job", 4), clock("task_clock", "ns", "job", 4.1e9)}, false, true},
		"by the cgroup's clock": {130,
			[]run.Counter{clock("cpu_time", "s", "job", 4), clock("cgroup_cpu", "ns", "job", 4.1e9)}, false, true},
		"half of it was not": {130,
			[]run.Counter{clock("cpu_time", "s", "job", 2), clock("task_clock", "ns", "job", 4.1e9)}, true, false},
		"the clock of all": {130,
			[]run.Counter{clock("cpu_time", "s", "job", 4), clock("task_clock", "ns", "node", 4.1e9)}, true, false},
		"the worst clock counts": {130,
			[]run.Counter{clock("cpu_time", "s", "job", 3.5), clock("proc_cpu", "ns", "job", 3.5e9),
				clock("task_clock", "ns", "job", 4.1e9)}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := summary.Summary{Quality: run.Quality{Scope: "job", RateHz: 200, Samples: 1000, Missing: c.missing},
				Counters: c.counters}
			r := New(s, nil, Options{})
			head, noted := false, false
			for _, v := range r.doubts() {
				head = head || strings.Contains(v, "13.0 % of the samples are missing")
			}
			for _, n := range r.Notes {
				noted = noted || n.Code == note.LostSamples && strings.Contains(n.Text, "13.0 %")
			}
			if head != c.head || noted != c.note {
				t.Errorf("at the head %v, in a note %v; want %v, %v: %+v %+v", head, noted, c.head, c.note, r.doubts(), r.Notes)
			}
		})
	}
}
