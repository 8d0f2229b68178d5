package selfcheck

import (
	"math"
	"slices"
)

// shift returns the Hodges-Lehmann estimate of where differences lie and the
// 95 % interval of the signed-rank test: the median and two quantiles of the
// means of all pairs of them. Fewer than six differences cannot give 95 %; the
// interval is then everything.
func shift(d []float64) Interval {
	n := len(d)
	if n == 0 {
		return Interval{0, math.Inf(-1), math.Inf(1)}
	}
	walsh := make([]float64, 0, n*(n+1)/2)
	for i := range d {
		for j := i; j < n; j++ {
			walsh = append(walsh, (d[i]+d[j])/2)
		}
	}
	slices.Sort(walsh)
	m := len(walsh)
	x := Interval{(walsh[(m-1)/2] + walsh[m/2]) / 2, math.Inf(-1), math.Inf(1)}
	// The normal approximation; at n = 6 it gives k = 1, which is exact.
	mean, sd := float64(m)/2, math.Sqrt(float64(n*(n+1)*(2*n+1))/24)
	k := int(mean - 1.96*sd)
	if n >= 6 && k >= 1 {
		x.Lo, x.Hi = walsh[k-1], walsh[m-k]
	}
	return x
}

// typical returns the mean of those times that are less than wild times their
// median.
func typical(times []int64, scratch []int64, wild float64) float64 {
	scratch = append(scratch[:0], times...)
	slices.Sort(scratch)
	limit := int64(wild * float64(scratch[len(scratch)/2]))
	sum, n := int64(0), 0
	for _, t := range scratch {
		if t >= limit {
			break
		}
		sum += t
		n++
	}
	return float64(sum) / float64(n)
}
