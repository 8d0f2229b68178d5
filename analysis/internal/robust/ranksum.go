package robust

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// exactRanks is the largest total number of values of two samples for which the distribution of the rank sum is
// computed exactly; above it the normal approximation is accurate to .001.
const exactRanks = 50

// RankSum returns the two-sided p of the rank-sum test of Mann, Whitney and
// Wilcoxon that a and b come from one distribution: exact for up to 50 distinct
// values, else by the normal approximation with ties and continuity corrected.
// An empty sample gives NaN.
func RankSum(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 {
		return math.NaN()
	}
	u, ties := rankStatistic(a, b)
	n, m := len(a), len(b)
	if ties == 0 && n+m <= exactRanks {
		c := rankCumulative(n, m)
		low := int(math.Min(u, float64(n*m)-u))
		return math.Min(1, 2*c[low])
	}
	nm, all := float64(n*m), float64(n+m)
	sd := math.Sqrt(nm / 12 * (all + 1 - ties/(all*(all-1))))
	if sd == 0 {
		return 1
	}
	z := math.Max(math.Abs(u-nm/2)-.5, 0) / sd
	return 2 * distuv.UnitNormal.Survival(z)
}

// rankStatistic returns the number of pairs in which b is larger, ties counting one half, and the sum of t^3-t
// over groups of t equal values.
func rankStatistic(a, b []float64) (u, ties float64) {
	type value struct {
		v   float64
		ofB bool
	}
	all := make([]value, 0, len(a)+len(b))
	for _, v := range a {
		all = append(all, value{v: v})
	}
	for _, v := range b {
		all = append(all, value{v: v, ofB: true})
	}
	slices.SortFunc(all, func(p, q value) int { return cmp.Compare(p.v, q.v) })
	sum := 0.0
	for i := 0; i < len(all); {
		j := i + 1
		for j < len(all) && all[j].v == all[i].v {
			j++
		}
		t := float64(j - i)
		ties += t*t*t - t
		for k := i; k < j; k++ {
			if all[k].ofB {
				sum += float64(i+1+j) / 2
			}
		}
		i = j
	}
	m := float64(len(b))
	return sum - m*(m+1)/2, ties
}

// rankCumulative returns the probability of at most u pairs with b larger, for each u up to one half of all, if
// n and m values are in random order.
func rankCumulative(n, m int) []float64 {
	// Number of partitions of u into at most m parts of at most n, built up as
	// the product of (1-x^(n+i))/(1-x^i).
	half := n * m / 2
	c := make([]float64, half+1)
	c[0] = 1
	for i := 1; i <= m; i++ {
		for u := half; u >= n+i; u-- {
			c[u] -= c[u-n-i]
		}
		for u := i; u <= half; u++ {
			c[u] += c[u-i]
		}
	}
	lg := func(k int) float64 { v, _ := math.Lgamma(float64(k + 1)); return v }
	total := math.Exp(lg(n+m) - lg(n) - lg(m))
	sum := 0.0
	for u := range c {
		sum += c[u] / total
		c[u] = sum
	}
	return c
}

// Shift returns the median of all differences b-a (Hodges and Lehmann) and the
// interval at the level that belongs to the rank-sum test. ok is false where
// the samples are too small for an interval of that level: .95 takes 4 and 4,
// .99 takes 5 and 5.
func Shift(a, b []float64, level float64) (estimate, lo, hi float64, ok bool) {
	n, m := len(a), len(b)
	if n == 0 || m == 0 {
		return math.NaN(), math.NaN(), math.NaN(), false
	}
	d := make([]float64, 0, n*m)
	for _, p := range a {
		for _, q := range b {
			d = append(d, q-p)
		}
	}
	slices.Sort(d)
	estimate = SortedQuantile(d, .5)
	tail := (1 - level) / 2
	k := -1 // largest count whose tail is small enough
	if n+m <= exactRanks {
		for u, p := range rankCumulative(n, m) {
			if p > tail {
				break
			}
			k = u
		}
	} else {
		nm := float64(n * m)
		sd := math.Sqrt(nm * float64(n+m+1) / 12)
		k = int(math.Floor(nm/2 - distuv.UnitNormal.Quantile(1-tail)*sd - .5))
	}
	if k < 0 {
		return estimate, math.NaN(), math.NaN(), false
	}
	return estimate, d[k], d[len(d)-1-k], true
}
