package periodicity

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// instances returns n instances of the given mean length, each longer or shorter by a normal share jitter; ends
// are rounded to samples.
func instances(n int, length, jitter float64) Period {
	rng := rand.New(rand.NewPCG(uint64(n), 5))
	p := Period{Timing: Timing{PeriodSamples: length, PeriodS: length * 0.005}, Regions: make([]Region, 1)}
	for at := 0.0; n > 0; n-- {
		next := at + length*(1+jitter*rng.NormFloat64())
		a, b := int(math.Round(at)), int(math.Round(next))
		p.Instances = append(p.Instances, Instance{First: a, Length: b - a})
		at = next
	}
	return p
}

func TestClock(t *testing.T) {
	one, pages := source{cols: make([]series.Column, 1)}, source{cols: make([]series.Column, 3)}
	for _, c := range []struct {
		n              int
		length, jitter float64
		from           source
		want           bool
	}{
		{500, 4, 0, one, true},         // a tick of 4 ms seen every 5 ms
		{500, 4, 0, pages, true},       // also in the code that runs
		{500, 6, 0, one, true},         // in step, and no round time
		{500, 4.01, 0, one, true},      // a round time, and not in step
		{50, 100.2, 0, one, true},      // a timer of half a second
		{50, 200.6, 0, one, true},      // one of a second and what it does
		{50, 200, 0, pages, false},     // code that runs every second
		{500, 4.05, 0, one, false},     // drifts through the grid
		{300, 44.84, 0, one, false},    // a loop
		{1900, 274, 0.006, one, false}, // a loop of 1.370 s
		{600, 100, 0.006, one, false},  // one of half a second
		{300, 200, 0.002, one, false},  // a very regular one of a second
		{2000, 2.844, 0, one, false},   // a short one
	} {
		if got := isClockPeriod(instances(c.n, c.length, c.jitter), c.from); got != c.want {
			t.Errorf("%d of %g samples: clock %v, want %v", c.n, c.length, got, c.want)
		}
	}
}

// Loops that last a whole number of samples, or a round time, are not clocks, whether one of many columns shows
// them or all do.
func TestDetectWholeSamples(t *testing.T) {
	for _, length := range []int{30, 100, 274} {
		for _, show := range []int{1, 5} {
			l := newLoop(uint64(length))
			l.run(l.shape(length, 5, 4), 6000/length+20, 0.02, 1)
			set := series.Set{StepS: 0.005}
			for c := range 5 {
				v := make(series.Values, len(l.x))
				for i := range v {
					v[i] = float32(0.05 * l.rng.NormFloat64())
					if c < show {
						v[i] += l.x[i]
					}
				}
				set.Columns = append(set.Columns, series.Column{Name: fmt.Sprintf("c%c", 'a'+c), Scope: series.JobScope, Values: v})
			}
			r := detect(t, set)
			if len(r.Periods) == 0 {
				t.Errorf("%d samples in %d columns: nothing, %v", length, show, r.Notes)
			} else if p := r.Periods[0]; math.Abs(p.PeriodSamples/float64(length)-1) > 0.02 {
				t.Errorf("%d samples in %d columns: found %.1f", length, show, p.PeriodSamples)
			}
		}
	}
}

// A period that most columns show belongs to the job even if it is exactly regular, but not a beat of timer
// ticks.
func TestCommon(t *testing.T) {
	for _, c := range []struct {
		show, of int
		length   float64
		want     bool
	}{
		{6, 6, 100, true}, {3, 6, 100, true}, {2, 6, 100, false}, {2, 2, 100, false}, {6, 6, 4, false},
	} {
		p := instances(50, c.length, 0)
		got := make([]outcome, c.of)
		for i := range c.show {
			got[i].periods = []Period{p}
		}
		if isWidelySeen(p, got) != c.want {
			t.Errorf("%d of %d with %g samples: common %v, want %v", c.show, c.of, c.length, !c.want, c.want)
		}
	}
}
