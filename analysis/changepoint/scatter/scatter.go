// Package scatter says how much runs scatter around their level, whether they look like one level at all, what
// their median is, and what a run off its level costs where some runs are outliers. Logarithms come in; room to
// work in is given by the caller, because these are called at every run.
package scatter

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// LeastNoise is the smallest noise that is assumed, in log units: runs of hours timed in seconds may have equal
// values.
const LeastNoise = 1e-4

// PriorSD and PriorRuns are the prior of the noise: its standard deviation in log units, and its weight in
// runs.
const (
	PriorSD   float64 = 0.015
	PriorRuns float64 = 2
)

// NoiseOfSteps estimates the noise of x, in log units, from differences between consecutive values, which
// changes of level hardly affect: 1.4826 median |x[i]-x[i-1]| / sqrt 2; 0 for fewer than three.
func NoiseOfSteps(buf, x []float64) float64 {
	if len(x) < 3 {
		return 0
	}
	buf = buf[:0]
	for i := 1; i < len(x); i++ {
		buf = append(buf, math.Abs(x[i]-x[i-1]))
	}
	return robust.SD * robust.MedianInPlace(buf) / math.Sqrt2
}
