// Package draw makes histories with known changes, for experiments and tests:
// runs on slow nodes, a user's shapes that change together, pairs of cases, and
// campaigns on a machine that changes speed under all of them. A random source
// comes in, series of package changepoint and their truth go out. It refuses
// nothing: what is drawn is what the analysis must live with.
//
// Common to all: logarithmic normal noise, some histories with runs that were
// disturbed (mostly slower, sometimes two or three in a row), and changes that
// begin with a new day. A change is strong enough to be asked for when its z,
// the shift in standard errors with at most 30 runs a side, reaches 4.5.
package draw

import (
	"math"
	"math/rand/v2"

	"jobgait/analysis/changepoint"
)

// Detectable is the z from which a change must be found.
const Detectable = 4.5

// PlantedChange is a true change of a drawn history.
type PlantedChange struct {
	Index int
	Log   float64 // of the ratio of levels
	Z     float64
}

// DrawnHistory is a drawn series and what is true of it.
type DrawnHistory struct {
	changepoint.Series
	Changes []PlantedChange
	// Slow is how much longer a run takes with a node, in logarithms.
	Slow map[string]float64
	// Ramp is where a slow movement begins and ends; nil without one.
	Ramp []int
}

// loguniform draws between lo and hi, evenly on logarithms.
func loguniform(r *rand.Rand, lo, hi float64) float64 {
	return lo * math.Pow(hi/lo, r.Float64())
}

// effect draws a change of lo to hi, six in ten of them slower.
func effect(r *rand.Rand, lo, hi float64) float64 {
	d := math.Log1p(loguniform(r, lo, hi))
	if r.Float64() > .6 {
		return -d
	}
	return d
}

// Strength is the z of a shift d between before and after runs with noise sd.
func Strength(d, sd float64, before, after int) float64 {
	a, b := float64(min(before, 30)), float64(min(after, 30))
	return math.Abs(d) / sd * math.Sqrt(a*b/(a+b))
}

// disturber adds outliers: a share of runs, a quarter of them beginning a
// streak of two or three, 94 % of them slow.
type disturber struct {
	share float64
	left  int
}

func (d *disturber) add(r *rand.Rand) float64 {
	switch {
	case d.left > 0:
		d.left--
	case r.Float64() >= d.share:
		return 0
	case r.Float64() < .25:
		d.left = 1 + r.IntN(2)
	}
	o := .05 + math.Abs(r.NormFloat64())*.4
	if r.Float64() > .94 {
		return -o
	}
	return o
}

// someDisturbed is a disturber for every second history.
func someDisturbed(r *rand.Rand) disturber {
	if r.IntN(2) == 0 {
		return disturber{}
	}
	return disturber{share: .02 + .08*r.Float64()}
}

// days are n times, one a day with gaps.
func days(r *rand.Rand, n int) []float64 {
	t := make([]float64, n)
	now := float64(r.IntN(5)) + .1
	for i := range t {
		t[i] = now
		now++
		if r.IntN(10) == 0 {
			now += float64(r.IntN(4))
		}
	}
	return t
}
