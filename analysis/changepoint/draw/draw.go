// Package draw makes histories with known changes, for experiments and tests:
// runs on slow nodes, a user's shapes that change together, pairs of cases, and
// campaigns on a machine that changes speed under all of them. A random source
// comes in, series of package changepoint and their truth go out. It refuses
// nothing: what is drawn is what the analysis must live with.
//
// Common to all: logarithmic normal noise, some histories with runs that were disturbed (mostly slower,
// sometimes two or three in a row), and changes that begin with a new day. The detector is required to find a
// change if its z, the shift in standard errors with at most 30 runs on each side, reaches 4.5.
package draw

import (
	"math"
	"math/rand/v2"

	"jobgait/analysis/changepoint"
)

// Detectable is the z from which a change must be found.
const Detectable = 4.5

// PlantedChange is a true change of a simulated history.
type PlantedChange struct {
	Index int
	Log   float64 // of the ratio of levels
	Z     float64
}

// DrawnHistory is a simulated series with its true changes.
type DrawnHistory struct {
	changepoint.Series
	Changes []PlantedChange
	// Slow is by how much longer a run takes on each slow node, in log units.
	Slow map[string]float64
	// Ramp holds the runs at which a slow movement begins and ends; nil without one.
	Ramp []int
}

// loguniform draws a number between lo and hi, uniform in its logarithm.
func loguniform(r *rand.Rand, lo, hi float64) float64 {
	return lo * math.Pow(hi/lo, r.Float64())
}

// effect draws the logarithm of a relative change between lo and hi; six in ten are slower.
func effect(r *rand.Rand, lo, hi float64) float64 {
	d := math.Log1p(loguniform(r, lo, hi))
	if r.Float64() > .6 {
		return -d
	}
	return d
}

// Strength returns the z score of a shift d, in log units, between the given numbers of runs before and after,
// with noise sd; at most 30 runs a side count.
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

// add returns the disturbance of the next run in log units, 0 for most.
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

// someDisturbed returns a disturber that disturbs 2 to 10 % of the runs in every second history, none in the
// others.
func someDisturbed(r *rand.Rand) disturber {
	if r.IntN(2) == 0 {
		return disturber{}
	}
	return disturber{share: .02 + .08*r.Float64()}
}

// days returns n increasing times in days, one a day with gaps.
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
