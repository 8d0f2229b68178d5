package selfcheck

import (
	"math"
	"slices"
)

// shift returns the Hodges-Lehmann estimate of the location of differences and the 95 % interval of the signed-
// rank test: the median and two quantiles of the means of all pairs. With fewer than six differences 95 % cannot
// be reached, and the interval is unbounded.
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

// stretch returns the mean of times by a quiet one, leaving out those of more than
// most times that: what slowed all chunks of a half alike, the clock rate or a
// neighbour on the same core, is not in it. Quiet is the lower quartile of the
// chunks that have no record; hit is the part that have one, which are thought
// to be longer than that. It may be up to a half.
func stretch(times []int64, scratch []int64, limit, hit float64) float64 {
	scratch = append(scratch[:0], times...)
	slices.Sort(scratch)
	at := float64(len(scratch)-1) * (1 - min(hit, 0.5)) / 4
	i := int(at)
	next := scratch[min(i+1, len(scratch)-1)]
	quiet := float64(scratch[i]) + (at-float64(i))*float64(next-scratch[i])
	sum, n := 0.0, 0.0
	for _, t := range scratch {
		if float64(t) > limit*quiet {
			break
		}
		sum += float64(t)
		n++
	}
	return sum / (quiet * n)
}
