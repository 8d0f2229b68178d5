package robust

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// TheilSen returns the median of the slopes between all pairs of points of
// different x, and Sen's confidence interval of it at the given level. The
// interval is widened where the residuals of neighbours, in the order given, are
// alike: with a correlation r of neighbours, n points say as much as
// n (1-r)/(1+r) independent ones. It costs n^2 log n: give at most some hundred
// points. All are NaN without two different x.
func TheilSen(x, y []float64, level float64) (slope, lo, hi float64) {
	var s []float64
	for i := range x {
		for j := range i {
			if x[i] != x[j] {
				s = append(s, (y[i]-y[j])/(x[i]-x[j]))
			}
		}
	}
	if len(s) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	slices.Sort(s)
	slope = SortedQuantile(s, 0.5)
	rest := make([]float64, len(x))
	for i := range x {
		rest[i] = y[i] - slope*x[i]
	}
	n := float64(len(x))
	r := min(max(neighbours(rest), 0), 0.95)
	z := distuv.UnitNormal.Quantile(0.5 + level/2)
	c := z * math.Sqrt(n*(n-1)*(2*n+5)/18*(1+r)/(1-r)) / float64(len(s)) / 2
	return slope, SortedQuantile(s, max(0, 0.5-c)), SortedQuantile(s, min(1, 0.5+c))
}

// neighbours returns the lag-1 correlation of values about their median.
func neighbours(x []float64) float64 {
	m := Median(x)
	a, b := 0.0, 0.0
	for i := range x {
		b += (x[i] - m) * (x[i] - m)
		if i > 0 {
			a += (x[i] - m) * (x[i-1] - m)
		}
	}
	if b == 0 {
		return 0
	}
	return a / b
}
