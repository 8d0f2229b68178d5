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
		{5, 0.75, 1.41, [6]float64{0.00020, 0.00010, 0.00022, 0.00073, 0.00135, 0.00565}},
		{6, 0.75, 1.85, [6]float64{0.00000, 0.00015, 0.00045, 0.00137, 0.00380, 0.00715}},
		{7, 0.84, 2.04, [6]float64{0.00000, 0.00042, 0.00052, 0.00240, 0.00392, 0.00610}},
		{8, 0.97, 1.89, [6]float64{0.00007, 0.00022, 0.00080, 0.00270, 0.00418, 0.00632}},
		{9, 0.83, 1.87, [6]float64{0.00000, 0.00025, 0.00117, 0.00295, 0.00358, 0.00492}},
		{10, 3.79, 1.68, [6]float64{0.00000, 0.00000, 0.00005, 0.00002, 0.00172, 0.00470}},
		{12, 0.75, 1.45, [6]float64{0.00007, 0.00060, 0.00160, 0.00420, 0.00503, 0.00607}},
		{14, 0.75, 1.43, [6]float64{0.00018, 0.00102, 0.00183, 0.00448, 0.00528, 0.00540}},
		{16, 0.92, 1.40, [6]float64{0.00015, 0.00067, 0.00218, 0.00403, 0.00570, 0.00603}},
		{20, 0.75, 1.34, [6]float64{0.00033, 0.00133, 0.00227, 0.00643, 0.00658, 0.00788}},
		{24, 0.75, 1.43, [6]float64{0.00057, 0.00200, 0.00312, 0.00605, 0.00717, 0.00783}},
		{32, 0.95, 1.61, [6]float64{0.00165, 0.00333, 0.00397, 0.00768, 0.00650, 0.00672}},
		{48, 9.01, 10.75, [6]float64{0.00155, 0.00133, 0.00080, 0.00042, 0.00013, 0.00015}},
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
