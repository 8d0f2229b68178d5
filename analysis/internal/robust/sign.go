package robust

import "math"

// SignCorrelation returns the correlation of two lists of differences, estimated from the share of equal
// signs as sin(pi/2 tau); outliers do not affect it. Pairs with a difference of 0 do not count; without
// others the result is 0.
func SignCorrelation(a, b []float64) float64 {
	same, all := 0.0, 0.0
	for i := range a {
		switch s := a[i] * b[i]; {
		case s > 0:
			same++
			all++
		case s < 0:
			all++
		}
	}
	if all == 0 {
		return 0
	}
	return math.Sin(math.Pi / 2 * (2*same/all - 1))
}
