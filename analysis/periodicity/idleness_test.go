package periodicity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// busyInTurns draws a job with one page of code that uses a CPU for a part of each cycle and none for the rest.
// Lengths of cycles are in slots of 5 ms and vary by a share.
func busyInTurns(seed uint64, cycles int, slots, busyPart, jitter float64) series.Set {
	rng := rand.New(rand.NewPCG(seed, 31))
	busy := series.Column{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope}
	page := series.Column{Name: "code:page", Unit: "samples", Group: series.CodeGroup, Scope: series.JobScope}
	other := page
	other.Name = series.OtherCode
	end := 0.0
	for range cycles {
		begin := end
		end += slots * (1 + jitter*(rng.Float64()-.5))
		for i := len(busy.Values); i < int(math.Round(end)); i++ {
			samples := 0
			if float64(i) < begin+busyPart*slots {
				samples = 5
			}
			odd := 0
			if samples > 0 && rng.IntN(30) == 0 {
				odd = 1
			}
			busy.Values = append(busy.Values, float32(samples)/5)
			page.Values = append(page.Values, float32(samples-odd))
			other.Values = append(other.Values, float32(odd))
		}
	}
	return series.Set{StepS: 0.005, Columns: []series.Column{busy, page, other}}
}

// A job that computes and sleeps in turns has a period although its code is the same throughout, if it is known that
// it did not wait for CPUs. If it waited, the rhythm may be another program's or that of a CPU quota.
func TestIdlenessOfTheJobItself(t *testing.T) {
	for _, c := range []struct {
		name          string
		cycles        int
		slots, jitter float64
	}{
		{"80 ms", 160, 16, .1}, {"500 ms", 26, 100, .05}, {"1.1 s", 12, 220, .05}, {"4 s", 9, 800, .05},
		{"a second, by a timer", 20, 200, 0},
	} {
		for seed := range uint64(3) {
			set := busyInTurns(seed, c.cycles, c.slots, .5, c.jitter)
			idleS := float64(set.Len()) * set.StepS / 2
			for _, w := range []struct {
				wait *float64
				want bool
			}{{new(float64), true}, {nil, false}, {&idleS, false}} {
				par := Default()
				par.CPUWaitS = w.wait
				r, err := Detect(set, par)
				found := len(r.Periods) > 0 && math.Abs(r.Periods[0].PeriodSamples/c.slots-1) < .03
				if err != nil || found != w.want || len(r.Periods) > 0 != w.want {
					t.Errorf("%s, draw %d, wait %v: %v, %v", c.name, seed, w.wait, r.Periods, r.Notes)
				}
			}
		}
	}
}

// TestFractionThatIdlenessContradicts checks that a shell loop of two short processes, of which one begins to work and
// the other sleeps, is not reported as half of its cycle, although their page faults are alike.
func TestFractionThatIdlenessContradicts(t *testing.T) {
	for seed := range uint64(5) {
		set := busyInTurns(seed, 30, 112, .48, .03)
		set.Columns = append(set.Columns, faultsOf(set, seed))
		checkWholeCycle(t, fmt.Sprint("draw ", seed), set)
	}
}

// TestFractionThatIdlenessContradictsInExcerpts is the same for a long profile, of which excerpts are searched. Where
// their slots would lie in the whole profile, the job starts up. Page faults repeat twice in each cycle.
func TestFractionThatIdlenessContradictsInExcerpts(t *testing.T) {
	const startUp = excerptParts*excerptPart + 1000
	set, halves := busyInTurns(1, 1000, 112, .5, .03), busyInTurns(2, 2100, 56, .5, .03)
	for i, v := range []float32{1, 5, 0} {
		before := slices.Repeat(series.Values{v}, startUp)
		set.Columns[i].Values = append(before, set.Columns[i].Values...)
	}
	faults := series.Column{Name: "page_faults", Unit: "1", Scope: series.JobScope, Values: make(series.Values, set.Len())}
	for i, v := range halves.Columns[0].Values[:set.Len()-startUp] {
		faults.Values[startUp+i] = 100 * v
	}
	set.Columns = append(set.Columns, faults)
	if excerpt(set, excerptPart).Len() == set.Len() {
		t.Fatalf("no excerpt is made of %d slots", set.Len())
	}
	checkWholeCycle(t, "nine minutes", set)
}

// checkWholeCycle checks that the period of a set of a job that idles by itself is 112 samples.
func checkWholeCycle(t *testing.T, name string, set series.Set) {
	t.Helper()
	par := Default()
	par.CPUWaitS = new(float64)
	r, err := Detect(set, par)
	if err != nil || len(r.Periods) == 0 || math.Abs(r.Periods[0].PeriodSamples/112-1) > .03 {
		t.Errorf("%s: %+v, %v, want 112 samples", name, r.Periods, r.Notes)
	}
}

// faultsOf draws the page faults of a shell loop in which a process begins whenever the number of busy CPUs changes.
func faultsOf(set series.Set, seed uint64) series.Column {
	rng := rand.New(rand.NewPCG(seed, 32))
	faults := series.Column{Name: "page_faults", Unit: "1", Scope: series.JobScope, Values: make(series.Values, set.Len())}
	busy := set.Columns[0].Values
	for i := range faults.Values {
		if i > 0 && (busy[i] > 0) != (busy[i-1] > 0) {
			faults.Values[i-1] += float32(40 + rng.IntN(10))
			faults.Values[i] += float32(90 + rng.IntN(10))
		}
	}
	return faults
}

func TestIdlesByItself(t *testing.T) {
	half := busyInTurns(1, 40, 40, .5, 0) // 8 s, of which 4 s idle
	full := busyInTurns(1, 40, 40, 1, 0)
	for _, c := range []struct {
		name     string
		set      series.Set
		counters []run.Counter
		want     bool
	}{
		{"not measured", half, nil, false},
		{"waited little", half, []run.Counter{{Name: "proc_wait", Scope: "job", Total: .5e9}}, true},
		{"waited as long as it was idle", half, []run.Counter{{Name: "proc_wait", Scope: "job", Total: 4e9}}, false},
		{"throttled", half, []run.Counter{{Name: "proc_wait", Scope: "job"},
			{Name: "cgroup_throttled", Scope: "job", Total: 4e9}}, false},
		{"the hypervisor took the CPU", half, []run.Counter{{Name: "proc_wait", Scope: "job"},
			{Name: "stolen_cpu", Scope: "job", Total: 4e9}}, false},
		{"only a part of the run was measured", half, []run.Counter{{Name: "proc_wait", Scope: "job", Share: .5}}, false},
		{"never idle", full, []run.Counter{{Name: "proc_wait", Scope: "job"}}, false},
	} {
		if got := (Params{CPUWaitS: run.CPUWaitS(c.counters)}).idlesVoluntarily(c.set); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
