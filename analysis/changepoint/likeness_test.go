package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"
)

// dayRuns draws n runs with a number of runs each day; share is the part of the variance that is common to the
// runs of a day.
func dayRuns(seed uint64, n, perDay int, sd, share float64) (x []float64, day []int) {
	r := rand.New(rand.NewPCG(seed, 5))
	common := 0.0
	for i := range n {
		if i%perDay == 0 {
			common = r.NormFloat64()
		}
		x = append(x, math.Log(100)+sd*(math.Sqrt(share)*common+math.Sqrt(1-share)*r.NormFloat64()))
		day = append(day, i/perDay)
	}
	return x, day
}

func TestLikeness(t *testing.T) {
	for _, c := range []struct{ share, day, phi float64 }{{0, 0.05, 0.05}, {0.5, 0.5, 0.1}, {0.8, 0.8, 0.15}} {
		sum := runCorrelation{}
		const draws = 30
		for seed := range uint64(draws) {
			x, day := dayRuns(seed, 160, 4, 0.02, c.share)
			sc := scanner{history: history{x: x, day: day}, p: Default()}
			k := sc.likeness(nil)
			if k.phi < 0 || k.day < k.phi || k.day > 0.8 {
				t.Fatalf("share %.1f: %+v", c.share, k)
			}
			sum.phi, sum.day = sum.phi+k.phi/draws, sum.day+k.day/draws
		}
		if math.Abs(sum.day-c.day) > 0.12 || sum.phi > c.phi {
			t.Errorf("share %.1f of the variance is of days: found %.2f, and %.2f between days", c.share, sum.day, sum.phi)
		}
	}
}

func TestAlike(t *testing.T) {
	x, day := dayRuns(1, 16, 4, 0.02, 0)
	sc := scanner{history: history{x: x, day: day}, p: Default()}
	st := sc.fitLevel(0, 16)
	if v := sc.levelInflation(st, runCorrelation{}); v != 1 {
		t.Errorf("independent runs: %.2f", v)
	}
	// Four equal runs of a day count as one.
	if v := sc.levelInflation(st, runCorrelation{day: 1}); math.Abs(v-4) > 0.3 {
		t.Errorf("days of four equal runs: %.2f", v)
	}
	sc.day = nil
	if got, want := sc.levelInflation(st, runCorrelation{phi: 0.5, day: 0.5}),
		varianceInflation(0.5, 16); math.Abs(got/want-1) > 0.1 {
		t.Errorf("one run a day, correlation .5: %.2f, want %.2f", got, want)
	}
}

// Intervals contain the true value if the runs of a day share half of their variance; without regard to days
// they did not.
func TestEffectsOfRepeats(t *testing.T) {
	t.Parallel()
	const draws, step = 400, 0.07
	covered := map[bool]int{}
	for seed := range uint64(draws) {
		x, day := dayRuns(seed, 96, 8, 0.02, 0.5)
		for i := 48; i < len(x); i++ {
			x[i] += step
		}
		for _, known := range []bool{true, false} {
			sc := scanner{history: history{x: x, day: day}, p: Default()}
			if !known {
				sc.day = nil
			}
			e := []event{{index: 48, first: 48, last: 48, resumed: 48, info: 24}}
			sc.effects(e)
			if e[0].lo <= step && step <= e[0].hi {
				covered[known]++
			}
		}
	}
	// .895 and .812, with a standard error of .015: six days on a side determine poorly how much days differ.
	with, without := float64(covered[true])/draws, float64(covered[false])/draws
	if with < 0.86 || with > 0.98 || without > with-0.04 {
		t.Errorf("%.3f of the intervals held the truth, %.3f without the days", with, without)
	}
}
