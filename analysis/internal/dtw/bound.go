package dtw

import "math"

// Kim returns a lower bound of the absolute distance of any path: the first and
// the last pair are in all of them.
func Kim(x, y []float64) float64 {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return inf
	}
	d := math.Abs(x[0] - y[0])
	if n > 1 || m > 1 {
		d += math.Abs(x[n-1] - y[m-1])
	}
	return d
}

// Envelope returns for every sample of a series of n the smallest and the largest
// sample of y that a path within the band may pair with it.
func Envelope(y []float64, n, band int) (lo, hi []float64) {
	m := len(y)
	lo, hi = make([]float64, n), make([]float64, n)
	for i := range n {
		a, b := limits(i+1, n, m, band)
		lo[i], hi[i] = inf, -inf
		for _, v := range y[a-1 : b] {
			lo[i], hi[i] = min(lo[i], v), max(hi[i], v)
		}
	}
	return lo, hi
}

// Keogh returns a lower bound of the absolute distance, within a band, of x to the
// series whose envelope for len(x) samples is lo, hi. It stops once it is above
// limit.
func Keogh(x, lo, hi []float64, limit float64) float64 {
	d := 0.0
	lo, hi = lo[:len(x)], hi[:len(x)]
	for i, v := range x {
		switch {
		case v > hi[i]:
			d += v - hi[i]
		case v < lo[i]:
			d += lo[i] - v
		}
		if d > limit {
			return d
		}
	}
	return d
}
