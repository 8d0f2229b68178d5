package scaling

import "slices"

// calibration holds measured thresholds for one number of points: the strength above which a series is
// segmented, where the best single law leaves little of it and where it leaves much.
type calibration struct {
	n           int
	quiet, loud float64
}

// calibrated returns the measured thresholds (tables_test.go): seed 1, 30000 series for each number of points
// and level of noise. Ten points have a bar of their own: there the paper's rule has no false change in 20,000
// up to 2 %, and neither should this one.
func calibrated() []calibration {
	return []calibration{
		{5, 0.75, 1.07},
		{6, 0.75, 1.42},
		{7, 0.79, 1.49},
		{8, 0.89, 1.56},
		{9, 0.75, 1.50},
		{10, 4.86, 1.63},
		{12, 0.75, 1.41},
		{14, 0.75, 1.39},
		{16, 0.87, 1.39},
		{20, 0.75, 1.32},
		{24, 0.75, 1.40},
		{32, 0.92, 1.55},
		{48, 8.55, 10.75},
		{64, 18.95, 20.07},
	}
}

// quietResidual is the standard deviation of the residuals of the best single
// law, relative to the values, below which a series counts as quiet. Noise of
// uniform 5 % has 2.9 %. Noise of 15 % gives many times the false changes; a
// change that leaves so little is either small or not there.
const quietResidual = 0.032

// thresholdPair holds the two thresholds at a number of points.
type thresholdPair struct{ quiet, loud float64 }

// thresholdsAt returns the thresholds at n points, interpolated between the measured numbers of points.
func thresholdsAt(n int) thresholdPair {
	lo, hi, f := neighbours(n)
	return thresholdPair{(1-f)*lo.quiet + f*hi.quiet, (1-f)*lo.loud + f*hi.loud}
}

// neighbours returns the rows of the table around n points and the relative position of n between them, 0 to 1. Outside
// of the table both are its first or its last row.
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
