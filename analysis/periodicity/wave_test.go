package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// computeAndSleep is a run of cycles of 29.4 slots of which two thirds are computation on one CPU, in pages at random,
// and the rest sleep. The last third of the computation has a page of its own. The lengths of the cycles vary by a
// share.
func computeAndSleep(r *rand.Rand, cycles int, spread float64) series.Set {
	const slots, pages, samples = 29.4, 3, 3
	next, at, sleeps := 0.0, 0.0, 0.0
	begin := func() {
		length := slots * (1 + spread*r.NormFloat64())
		at, next = next, next+length
		sleeps = at + length - slots/3
	}
	n := int(slots * float64(cycles))
	columns := make([]series.Values, pages+1)
	for c := range columns {
		columns[c] = make(series.Values, n)
	}
	busy := make(series.Values, n)
	const parts = 20 // of a slot
	for i := range n {
		for k := range parts {
			x := float64(i) + (float64(k)+.5)/parts
			if x >= next {
				begin()
			}
			if x < sleeps {
				busy[i] += 1. / parts
			}
		}
		for range int(math.Round(samples * float64(busy[i]))) {
			if page := r.IntN(pages); float64(i) < sleeps-slots*2/9 {
				columns[page][i]++
			} else {
				columns[pages][i]++
			}
		}
	}
	set := series.Set{StepS: .005, Columns: []series.Column{{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope,
		Values: busy}}}
	for c, v := range columns {
		set.Columns = append(set.Columns, series.Column{Name: []string{"code:a", "code:b", "code:c", "code:d"}[c],
			Unit: countUnit, Scope: series.JobScope, Group: series.CodeGroup, Values: v})
	}
	return set
}

// TestBeginsByTheBusyCPUs measures the cycles of a loop of computation and sleep whose code is nearly the same
// throughout.
func TestBeginsByTheBusyCPUs(t *testing.T) {
	set := computeAndSleep(rand.New(rand.NewPCG(7, 1)), 200, .03)
	r, err := Detect(set, Default())
	if err != nil || len(r.Periods) == 0 {
		t.Fatalf("no period: %v %v", err, r.Notes)
	}
	p := r.Periods[0]
	want := .03 * tenthsDistance
	if got := (p.P90S - p.P10S) / p.PeriodS; math.Abs(got/want-1) > 1./3 {
		t.Errorf("%s: the tails of the lengths are %.3f of the period apart, want %.3f", p.Column, got, want)
	}
	if len(p.LengthsS) != len(p.Instances) {
		t.Errorf("%d cycles, %d measured lengths", len(p.Instances), len(p.LengthsS))
	}
}
