package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// Two grids are sufficient if they and wall time, for a job that got its CPUs, show one period that all of them
// resolve.
func TestSettled(t *testing.T) {
	crowded := saw(true, 5, 100, .9)
	crowded.weight = crowdedWeight
	for _, c := range []struct {
		name string
		all  []view
		want bool
	}{
		{"all agree", []view{saw(true, 5, 100, .9), saw(false, 3, 101, .9), saw(false, 5, 99, .8)}, true},
		{"a crowded job", []view{crowded, saw(false, 3, 101, .9), saw(false, 5, 99, .8)}, false},
		{"wall time shows nothing", []view{saw(true, 5), saw(false, 3, 101, .9), saw(false, 5, 99, .8)}, false},
		{"a grid shows nothing", []view{saw(true, 5, 100, .9), saw(false, 3, 101, .9), saw(false, 5)}, false},
		{"a rival", []view{saw(true, 5, 100, .9), saw(false, 3, 100, .9), saw(false, 5, 140, .8)}, false},
		{"seven bins of the longest", []view{saw(true, 5, 35, .9), saw(false, 3, 35, .9), saw(false, 5, 35, .8)}, false},
		{"one grid only", []view{saw(true, 5, 100, .9), saw(false, 3, 100, .9)}, false},
	} {
		v, ok := combineViews(c.all)
		if got := ok && v.isSettled(c.all); got != c.want {
			t.Errorf("%s: settled %v, agreed %v", c.name, got, v.agreed)
		}
	}
}

// If a job got its CPUs and wall time shows the loop of its code with certainty, CPU time is not analysed;
// otherwise it is.
func TestWallIsSure(t *testing.T) {
	const cycle = 120
	for _, c := range []struct {
		share    float64
		wallOnly bool
	}{{1, true}, {0.25, false}} {
		rng := rand.New(rand.NewPCG(5, cycle))
		set, at := inTurns(2, 15000, c.share, func(i int) int {
			return noisy(rng, map[bool]int{true: 0, false: 1}[i%cycle < cycle*2/5])
		})
		r := detect(t, set)
		if len(r.Periods) == 0 {
			t.Fatal(r.Notes)
		}
		want := at[len(at)-1] / float64(len(at)/cycle)
		if p := r.Periods[0]; (p.Axis == series.Wall) != c.wallOnly || math.Abs(p.PeriodS/want-1) > 0.05 {
			t.Errorf("share %v: %v s (%v) on axis %s", c.share, p.PeriodS, want, p.Axis)
		}
	}
}
