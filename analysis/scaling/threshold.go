package scaling

import (
	"math"
	"slices"
)

// calibration is what Program calibrate measured for one number of points: the
// strength above which a series is segmented, where the best single law leaves
// little of it and where it leaves much, and the share of series of one law
// that exceed it at uniform noise of 0, 1, 2, 5, 10 and 15 %.
type calibration struct {
	n           int
	quiet, loud float64
	share       [6]float64
}

// calibrated is the table of Program calibrate: seed 1, 30000 series for each
// number of points and level of noise. Ten points have a bar of their own:
// there the paper's rule has no false change in 20,000 up to 2 %, and neither
// should this one.
func calibrated() []calibration {
	return []calibration{
		{5, 0.75, 1.07, [6]float64{0.00010, 0.00000, 0.00005, 0.00045, 0.00180, 0.00885}},
		{6, 0.75, 1.42, [6]float64{0.00000, 0.00010, 0.00035, 0.00115, 0.00360, 0.00883}},
		{7, 0.79, 1.49, [6]float64{0.00000, 0.00042, 0.00048, 0.00225, 0.00395, 0.00837}},
		{8, 0.89, 1.56, [6]float64{0.00007, 0.00022, 0.00085, 0.00243, 0.00457, 0.00780}},
		{9, 0.75, 1.50, [6]float64{0.00000, 0.00018, 0.00118, 0.00283, 0.00378, 0.00637}},
		{10, 3.79, 1.63, [6]float64{0.00000, 0.00000, 0.00005, 0.00002, 0.00190, 0.00457}},
		{12, 0.75, 1.41, [6]float64{0.00007, 0.00058, 0.00145, 0.00397, 0.00435, 0.00543}},
		{14, 0.75, 1.39, [6]float64{0.00018, 0.00097, 0.00168, 0.00410, 0.00468, 0.00523}},
		{16, 0.87, 1.39, [6]float64{0.00015, 0.00087, 0.00207, 0.00388, 0.00553, 0.00595}},
		{20, 0.75, 1.32, [6]float64{0.00033, 0.00120, 0.00215, 0.00598, 0.00592, 0.00702}},
		{24, 0.75, 1.40, [6]float64{0.00057, 0.00198, 0.00278, 0.00555, 0.00678, 0.00740}},
		{32, 0.92, 1.55, [6]float64{0.00178, 0.00340, 0.00352, 0.00740, 0.00642, 0.00645}},
		{48, 8.55, 10.75, [6]float64{0.00155, 0.00135, 0.00082, 0.00042, 0.00013, 0.00015}},
		{64, 18.95, 20.07, [6]float64{0.00165, 0.00097, 0.00078, 0.00040, 0.00013, 0.00012}},
	}
}

// quietResidual is the standard deviation of the residuals of the best single
// law, relative to the values, below which a series counts as quiet. Noise of
// uniform 5 % has 2.9 %. Noise of 15 % gives many times the false changes; a
// change that leaves so little is either small or not there.
const quietResidual = 0.032

// bar is the two thresholds at a number of points.
type bar struct{ quiet, loud float64 }

// threshold is the bar at n points, interpolated between the numbers of points
// that were measured.
func threshold(n int) bar {
	lo, hi, f := neighbours(n)
	return bar{(1-f)*lo.quiet + f*hi.quiet, (1-f)*lo.loud + f*hi.loud}
}

// Uncautious is the Params.Caution at which no threshold of n points is above 0:
// what a program that measures thresholds works with.
func Uncautious(n int) float64 {
	t := threshold(n)
	return -max(t.quiet, t.loud)
}

// neighbours is the rows around n and how far n lies between them.
func neighbours(n int) (lo, hi calibration, f float64) {
	table := calibrated()
	i, found := slices.BinarySearchFunc(table, n, func(c calibration, n int) int { return c.n - n })
	if found || i == 0 {
		return table[i], table[i], 0
	}
	if i == len(table) {
		return table[i-1], table[i-1], 0
	}
	lo, hi = table[i-1], table[i]
	return lo, hi, float64(n-lo.n) / float64(hi.n-lo.n)
}

// ExpectedByChance is how many of the results would be segmented if none of
// their series had a change: the sum of the shares of false changes that were
// measured at each one's number of points and noise. It is for the likelihood
// method only; series without a verdict do not count.
func ExpectedByChance(results []Result) float64 {
	sum := 0.0
	for _, r := range results {
		if r.ChangeStrength == nil {
			continue
		}
		lo, hi, f := neighbours(r.N)
		noise := r.noise()
		sum += (1-f)*lo.at(noise) + f*hi.at(noise)
	}
	return sum
}

// at interpolates the share of false changes.
func (c calibration) at(noise float64) float64 {
	levels := [...]float64{0, 0.01, 0.02, 0.05, 0.1, 0.15}
	for i := 1; i < len(levels); i++ {
		if noise <= levels[i] {
			f := (noise - levels[i-1]) / (levels[i] - levels[i-1])
			return (1-f)*c.share[i-1] + f*c.share[i]
		}
	}
	return c.share[len(levels)-1]
}

// noise is the half width of uniform noise, relative to the value, that the
// residuals of the models amount to.
func (r Result) noise() float64 {
	smape, points, free := 0.0, 0.0, 0.0
	add := func(m *Model, n int) {
		if m != nil {
			smape += m.SMAPE * float64(n)
			points += float64(n)
			free += float64(n - 1 - len(m.Terms))
		}
	}
	if r.Segmented {
		for _, s := range r.Segments {
			add(s.Model, s.Last-s.First+1)
		}
	} else {
		add(r.Whole, r.N)
	}
	if points == 0 || free <= 0 {
		return 0
	}
	// The mean size of uniform noise is half its width; fitting takes some.
	return 2 * smape / points / 100 * math.Sqrt(points/free)
}
