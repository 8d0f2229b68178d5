package summary

import (
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

func TestBusyCPUsAreTheKernelsWhereItCounted(t *testing.T) {
	r := node("n1", 0.25, 0)
	r.Quality.RateHz = 200 // 2000 samples: 10 s
	for _, c := range []struct {
		what     string
		counters []run.Counter
		want     float64
	}{
		{"samples only", []run.Counter{{Name: "cpu_time", Unit: "s", Scope: "job", Total: 2.5}}, 0.25},
		{"the cgroup", []run.Counter{{Name: "cgroup_cpu", Unit: "ns", Scope: "job", Total: 15e9}}, 1.5},
		{"the command's clocks before the cgroup", []run.Counter{{Name: "cgroup_cpu", Unit: "ns", Scope: "job", Total: 15e9},
			{Name: "task_clock", Unit: "ns", Scope: "job", Total: 18e9}}, 1.8},
		{"not those of a whole node", []run.Counter{{Name: "task_clock", Unit: "ns", Scope: "node", Total: 20e9}}, 0.25},
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

// The mean of one second with code addresses is not used for the run: 61 s of CPU time according to the cgroup,
// 0.56 s according to samples.
func TestOneSecondOfAddressesIsNotTheRun(t *testing.T) {
	set := series.Set{StepS: 0.005,
		Columns: []series.Column{{Name: busyColumn, Unit: "CPUs", Scope: series.JobScope,
			Values: make(series.Values, 12000)}}}
	for i := range set.Columns[0].Values {
		if i >= 200 {
			set.Columns[0].Values[i] = series.Missing()
		}
	}
	samples := run.Counter{Name: "cpu_time", Unit: "s", Scope: "job", Total: 0.001, Share: 200.0 / 12000}
	for _, c := range []struct {
		what     string
		counters []run.Counter
		want     float64 // -1: not known
		idle     bool
	}{
		{"the cgroup", []run.Counter{samples, {Name: "cgroup_cpu", Unit: "ns", Scope: "job", Total: 61e9}}, 61.0 / 60, false},
		{"/proc", []run.Counter{samples, {Name: "proc_cpu", Unit: "ns", Scope: "job", Total: 30e9}}, 0.5, false},
		{"nothing else", []run.Counter{samples}, -1, false},
		{"/proc, and next to nothing", []run.Counter{samples, {Name: "proc_cpu", Unit: "ns", Scope: "job", Total: 10e6}},
			0.01 / 60, true},
		{"samples of all of it", nil, 0, true},
	} {
		r := NodeRecord{Node: "n1", ElapsedS: 60, Counters: c.counters,
			Quality: run.Quality{Scope: "job", RateHz: 200, Samples: 12000}}
		r, err := Analyse(r, set, Default())
		if err != nil {
			t.Fatal(err)
		}
		if got := r.busyCPUs(); (got == nil) != (c.want < 0) || got != nil && *got != c.want {
			t.Errorf("%s: %v, want %g", c.what, got, c.want)
		}
		if got := noted(r.Notes, note.Idle); got != c.idle {
			t.Errorf("%s: idle %v", c.what, got)
		}
	}
}

func noted(notes []note.Note, code note.Code) bool {
	for _, n := range notes {
		if n.Code == code {
			return true
		}
	}
	return false
}

// If some nodes counted a column for a part of the time, the run counted it for a part of the time.
func TestShareOfASum(t *testing.T) {
	part := func(v float64) NodeRecord {
		return NodeRecord{Counters: []run.Counter{{Name: "cpu_time", Unit: "s", Scope: "job", Total: 1, Share: v}}}
	}
	for _, c := range []struct {
		of   []NodeRecord
		want float64
	}{{[]NodeRecord{part(0), part(0)}, 1}, {[]NodeRecord{part(0.1), part(0), part(0.4)}, 0.5}} {
		if got := sumCounters(c.of); len(got) != 1 || got[0].Total != float64(len(c.of)) || got[0].Part() != c.want {
			t.Errorf("%+v, want %g", got, c.want)
		}
	}
}
