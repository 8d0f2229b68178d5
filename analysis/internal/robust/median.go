package robust

import (
	"math"
	"slices"
)

// SD is the ratio of the standard deviation of normal values to their median absolute deviation.
const SD = 1.4826

// MedianInPlace returns the median of x, which it reorders.
func MedianInPlace(x []float64) float64 {
	lo, hi := centre(x)
	return (lo + hi) / 2
}

// MedianWithBuffer returns the median of x, equal to Median to the last bit; x must not contain NaN. It uses buf as
// buffer.
func MedianWithBuffer(buf *[]float64, x []float64) float64 {
	*buf = append((*buf)[:0], x...)
	lo, hi := centre(*buf)
	return lo + 0.5*(hi-lo)
}

// centre returns the two values in the middle of x, one twice if their number is odd. It reorders x.
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

// SortedMedian returns the median of ascending values.
func SortedMedian(x []float64) float64 { return (SortedLowerMedian(x) + x[len(x)/2]) / 2 }

// SortedLowerMedian returns the middle one of ascending values, the lower of the two in the middle if their number is
// even.
func SortedLowerMedian(x []float64) float64 { return x[(len(x)-1)/2] }
