package robust

import (
	"math"
	"slices"
)

// SD is how many median absolute deviations a standard deviation of normal values has.
const SD = 1.4826

// Middle is the median of x, which it puts in another order.
func Middle(x []float64) float64 {
	lo, hi := centre(x)
	return (lo + hi) / 2
}

// MedianIn is Median to the last bit, of values without NaN and with buf to work in.
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
	Rank(x, n/2)
	if n%2 == 1 {
		return x[n/2], x[n/2]
	}
	return slices.Max(x[:n/2]), x[n/2]
}

// SortedMiddle is the median of ascending values.
func SortedMiddle(x []float64) float64 { return (SortedLower(x) + x[len(x)/2]) / 2 }

// SortedLower is the lower of the two in the middle of ascending values where their number
// is even: one of the values.
func SortedLower(x []float64) float64 { return x[(len(x)-1)/2] }
