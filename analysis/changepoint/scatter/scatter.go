// Package scatter says how much runs scatter around their level, whether they look
// like one level at all, what their median is, and what a run off its level costs
// where some runs are outliers. Logarithms come in; room to work in is given by the
// caller, because these are asked at every run.
package scatter

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// Least is the smallest noise believed, log units: a clock of seconds on
// runs of hours shows equal values.
const Least = 1e-4

// BelievedSD and BelievedRuns are what is believed of the noise (log units) before
// any run, and how many runs that belief is worth.
const (
	BelievedSD   float64 = 0.015
	BelievedRuns float64 = 2
)

// OfSteps estimates the noise of x from its steps, which hardly know of
// changes of level: 1.4826 median |x[i]-x[i-1]| / sqrt 2; 0 for fewer than three.
func OfSteps(buf, x []float64) float64 {
	if len(x) < 3 {
		return 0
	}
	buf = buf[:0]
	for i := 1; i < len(x); i++ {
		buf = append(buf, math.Abs(x[i]-x[i-1]))
	}
	return 1.4826 * Middle(buf) / math.Sqrt2
}

// Middle is the median of x, which it puts in another order.
func Middle(x []float64) float64 {
	lo, hi := centre(x)
	return (lo + hi) / 2
}

// MedianIn is robust.Median to the last bit, with buf to work in.
func MedianIn(buf *[]float64, x []float64) float64 {
	*buf = append((*buf)[:0], x...)
	lo, hi := centre(*buf)
	return lo + 0.5*(hi-lo)
}

// centre returns the two values in the middle of x, one twice if their number is
// odd. It puts x in another order.
func centre(x []float64) (lo, hi float64) {
	n := len(x)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	robust.Rank(x, n/2)
	if n%2 == 1 {
		return x[n/2], x[n/2]
	}
	return slices.Max(x[:n/2]), x[n/2]
}
