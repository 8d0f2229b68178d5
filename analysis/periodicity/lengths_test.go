package periodicity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/series"
)

// loopOfCode is a run of cycles of about 20 slots in which four pages of code follow each other, whose lengths differ
// by a share, with a cycle of 1.6 times the length now and then, in which a fifth page runs as well.
func loopOfCode(r *rand.Rand, cycles int, spread float64, every int) (set series.Set, lengths []float64) {
	const slots, hits = 20., 10
	at, next := 0.0, 0.0
	var ends []float64
	for k := range cycles {
		length := slots * (1 + spread*r.NormFloat64())
		if every > 0 && k%every == every-1 {
			length *= 1.6
		}
		lengths = append(lengths, length)
		next += length
		ends = append(ends, next)
	}
	n := int(next)
	pages := make([]series.Values, 5)
	for p := range pages {
		pages[p] = make(series.Values, n)
	}
	busy := make(series.Values, n)
	k := 0
	for i := range n {
		for j := range hits {
			x := float64(i) + (float64(j)+.5)/hits
			for x >= ends[k] {
				at, k = ends[k], k+1
			}
			in := (x - at) / slots / (1 + (lengths[k]/slots-1)*.999)
			page := int(in * 4)
			if every > 0 && k%every == every-1 {
				if in = (x - at) / lengths[k]; in > .625 {
					page = 4
				} else {
					page = int(in / .625 * 4)
				}
			}
			pages[min(page, 4)][i]++
		}
		busy[i] = 1
	}
	set = series.Set{StepS: .005, Columns: []series.Column{{Name: "busy_cpus", Unit: "CPUs", Scope: series.JobScope,
		Values: busy}}}
	for p, v := range pages {
		set.Columns = append(set.Columns, series.Column{Name: []string{"code:a", "code:b", "code:c", "code:d",
			series.OtherCode}[p], Unit: countUnit, Scope: series.JobScope, Group: series.CodeGroup, Values: v})
	}
	return set, lengths
}

// TestScatterOfLengths checks that the tails of the lengths of cycles are those of the program, within a third, also
// where they differ by less than a slot.
func TestScatterOfLengths(t *testing.T) {
	for seed, spread := range []float64{.02, .05, .08} {
		set, lengths := loopOfCode(rand.New(rand.NewPCG(uint64(seed), 3)), 150, spread, 0)
		r, err := Detect(set, Default())
		if err != nil || len(r.Periods) == 0 {
			t.Fatalf("spread %g: nothing found: %v %v", spread, r.Notes, err)
		}
		p := r.Periods[0]
		slices.Sort(lengths)
		want := (lengths[len(lengths)*9/10] - lengths[len(lengths)/10]) * set.StepS
		if got := p.P90S - p.P10S; math.Abs(got/want-1) > 1./3 {
			t.Errorf("spread %g: %.4f s between the tails, want %.4f", spread, got, want)
		}
	}
}

// TestLongCyclesAreCycles checks that a cycle of 1.6 times the length, in which other code runs as well, is counted.
func TestLongCyclesAreCycles(t *testing.T) {
	set, lengths := loopOfCode(rand.New(rand.NewPCG(7, 3)), 160, .01, 15)
	r, err := Detect(set, Default())
	if err != nil || len(r.Periods) == 0 {
		t.Fatalf("nothing found: %v %v", r.Notes, err)
	}
	p := r.Periods[0]
	long := 0
	for _, in := range p.Instances {
		if float64(in.Length) > 1.2*p.PeriodSamples {
			long++
		}
	}
	if n := len(p.Instances); n < len(lengths)-3 || n > len(lengths) || long < 9 {
		t.Errorf("%d of %d cycles, %d of %d long ones", n, len(lengths), long, len(lengths)/15)
	}
}
