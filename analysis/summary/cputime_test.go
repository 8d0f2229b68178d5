package summary

import "testing"

func TestBusyCPUsAreTheKernelsWhereItCounted(t *testing.T) {
	r := node("n1", 0.25, 0)
	r.Quality.RateHz = 200 // 2000 samples: 10 s
	for _, c := range []struct {
		what     string
		counters []Counter
		want     float64
	}{
		{"samples only", []Counter{{Name: "cpu_time", Unit: "s", Scope: "job", Total: 2.5}}, 0.25},
		{"the cgroup", []Counter{{Name: "cgroup_cpu", Unit: "ns", Scope: "job", Total: 15e9}}, 1.5},
		{"the command's clocks before the cgroup", []Counter{{Name: "cgroup_cpu", Unit: "ns", Scope: "job", Total: 15e9},
			{Name: "task_clock", Unit: "ns", Scope: "job", Total: 18e9}}, 1.8},
		{"not those of a whole node", []Counter{{Name: "task_clock", Unit: "ns", Scope: "node", Total: 20e9}}, 0.25},
	} {
		r.Counters = c.counters
		if got := r.busyCPUs(); got == nil || *got != c.want {
			t.Errorf("%s: %v, want %g", c.what, got, c.want)
		}
	}
	r.Quality.RateHz = 0
	if got := r.busyCPUs(); got == nil || *got != 0.25 {
		t.Errorf("without a rate: %v", got)
	}
}
