package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// TestAlternatingPartsAreOneCycle checks that instances of 30 and 50 samples in turn are joined, also where some are
// much longer, and that equal instances of varied lengths, or a slow one in ten, are not.
func TestAlternatingPartsAreOneCycle(t *testing.T) {
	for _, c := range []struct {
		name    string
		parts   []int
		jitter  int // samples
		outlier int // about one instance in this many is twice as long; 0 for none
		joined  int
	}{
		{"two parts", []int{30, 50}, 6, 0, 2},
		{"two parts, others take the CPU", []int{30, 50}, 6, 20, 2},
		{"three parts", []int{30, 50, 80}, 6, 0, 3},
		{"equal", []int{40}, 20, 0, 1},
		{"equal, others take the CPU", []int{40}, 6, 12, 1},
		{"one in ten writes", []int{40, 40, 40, 40, 40, 40, 40, 40, 40, 60}, 6, 0, 1},
	} {
		for seed := range uint64(20) {
			rng := rand.New(rand.NewPCG(seed, 33))
			p := Period{Kind: Equal}
			at, sum := 0, 0
			for i := range 120 {
				n := c.parts[i%len(c.parts)] + rng.IntN(c.jitter+1) - c.jitter/2
				if c.outlier > 0 && rng.IntN(c.outlier) == 0 {
					n *= 2
				}
				p.Instances = append(p.Instances, Instance{First: at, Length: n})
				at += n
			}
			p = p.withInstances(series.Set{StepS: .005, Columns: []series.Column{{Values: make(series.Values, at)}}},
				p.Instances)
			p.CPUS = 1
			q := p.withAlternatingCyclesJoined(series.Set{StepS: .005,
				Columns: []series.Column{{Values: make(series.Values, at)}}})
			for _, in := range q.Instances {
				sum += in.Length
			}
			if len(q.Instances) != 120/c.joined || sum != at || q.CPUS != float64(c.joined) {
				t.Errorf("%s, draw %d: %d instances of %d, %d samples of %d", c.name, seed, len(q.Instances), 120/c.joined, sum, at)
			}
		}
	}
}

// TestSlowBeginningLeavesThePeriodOfJoinedCycles checks that the period of joined cycles is their typical length, as
// that of other cycles in wall time, and not the mean, which a slow beginning lengthens.
func TestSlowBeginningLeavesThePeriodOfJoinedCycles(t *testing.T) {
	p := Period{Kind: Equal, Axis: series.Wall}
	at := 0
	for i := range 320 {
		n := [...]int{30, 50}[i%2]
		if i < 60 {
			n *= 3
		}
		p.Instances = append(p.Instances, Instance{First: at, Length: n})
		at += n
	}
	set := series.Set{StepS: .005, Columns: []series.Column{{Values: make(series.Values, at)}}}
	q := p.withInstances(set, p.Instances).withAlternatingCyclesJoined(set)
	if q.PeriodSamples != 80 || math.Abs(q.PeriodS-.4) > 1e-9 || q.Axis != series.Wall || q.MeanS < .5 {
		t.Errorf("%v samples, %v s on axis %s, mean %v s, want 80 samples, .4 s on axis wall, .55 s", q.PeriodSamples,
			q.PeriodS, q.Axis, q.MeanS)
	}
	if q.PeriodLoS > q.PeriodS || q.PeriodHiS < q.MeanS {
		t.Errorf("interval %v to %v s", q.PeriodLoS, q.PeriodHiS)
	}
}
