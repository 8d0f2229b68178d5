package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
)

// middleOf is the median of x, which it puts in another order.
func middleOf(x []float64) float64 {
	lo, hi := centre(x)
	return (lo + hi) / 2
}

// medianIn is robust.Median to the last bit, with buf to work in.
func medianIn(buf *[]float64, x []float64) float64 {
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

// ranked returns x in buf with those ranks in place from which a level is fitted:
// the middle and the lower quartile, all of few.
func ranked(buf, x []float64) []float64 {
	buf = append(buf[:0], x...)
	n := len(buf)
	robust.Rank(buf, n/2)
	if n > robust.FewToSort {
		robust.Rank(buf[:n/2], n/2-1)
		robust.Rank(buf[:n/2-1], n/4)
	}
	return buf
}
