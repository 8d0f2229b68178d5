package changepoint

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// residual is the distance r of run i from its level, in log units.
type residual struct {
	i int
	r float64
}

// residuals returns the distances of the runs from their levels; drifts and levels of fewer than minSegment
// runs are left out. They are enlarged to correct for levels that are fitted to the same runs.
func (sc *scanner) residuals(ev []event) []residual {
	var far []residual
	from := 0
	for q := 0; q <= len(ev); q++ {
		end := len(sc.x)
		if q < len(ev) {
			end = ev[q].index
		}
		if end-from >= minSegment {
			far = sc.distancesFrom(far, from, end)
		}
		if q < len(ev) {
			from = ev[q].resumed
		}
	}
	return far
}

// distancesFrom appends the residuals of runs [from,end), which have one level or alternate between two.
func (sc *scanner) distancesFrom(far []residual, from, end int) []residual {
	st := sc.fitLevel(from, end)
	l := sc.loss(st.s)
	low, high, two := sc.levelPair(sc.x[from:end])
	for i := from; i < end; i++ {
		r := sc.x[i] - st.mu
		if two {
			r = sc.x[i] - low
			if d := sc.x[i] - high; math.Abs(d) < math.Abs(r) {
				r = d
			}
		} else if w := l.Weight(r); w < st.weight {
			r /= math.Sqrt(max(1-w/st.weight, 0.2))
		}
		far = append(far, residual{i, r})
	}
	return far
}

// sizeContrast returns by how many standard errors the scores a from index k on exceed those before.
func sizeContrast(a []float64, k int) float64 {
	n := len(a)
	sum, square := 0.0, 0.0
	for i, v := range a {
		square += v * v
		if i >= k {
			sum += v
		}
	}
	if square == 0 {
		return 0
	}
	return sum / math.Sqrt(square/float64(n-1)*scoreInflation(a, k)*float64(k)*float64(n-k)/float64(n))
}

// residualSteps returns the differences between the residuals of consecutive runs, except the one between residual k
// and the one before it, and the index among them at which those after k begin. A level that moves unseen makes
// residuals large, and hardly the steps between them.
func residualSteps(far []residual, k int) (d []residual, at int) {
	for i := 1; i < len(far); i++ {
		if i == k {
			at = len(d)
			continue
		}
		if far[i].i == far[i-1].i+1 {
			d = append(d, residual{far[i].i, far[i].r - far[i-1].r})
		}
	}
	return d, at
}

// spreadScores returns for every residual the squared normal quantile of its rank in size (Klotz's scores), centred so
// that the sum is 0. Ranks above the share spreadTop count as that, so that the size of outliers does not matter.
func spreadScores(far []residual) []float64 {
	n := len(far)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 { return math.Abs(far[i].r) }
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(size(a), size(b)), a-b)
	})
	a := make([]float64, n)
	mean := 0.0
	for from := 0; from < n; {
		end := from + 1
		for end < n && size(order[end]) == size(order[from]) {
			end++
		}
		u := min(float64(from+end+1)/2/float64(n+1), spreadTop)
		score := sq(distuv.UnitNormal.Quantile((1 + u) / 2))
		for _, i := range order[from:end] {
			a[i] = score
			mean += score / float64(n)
		}
		from = end
	}
	for i := range a {
		a[i] -= mean
	}
	return a
}

// scoreInflation returns the factor by which the variance of a sum of scores exceeds that of independent ones,
// because large residuals follow large ones: from their lag-1 correlation on the two sides of split k.
func scoreInflation(a []float64, k int) float64 {
	product, square := 0.0, 0.0
	for _, side := range [][]float64{a[:k], a[k:]} {
		mean := 0.0
		for _, v := range side {
			mean += v / float64(len(side))
		}
		for i, v := range side {
			square += sq(v - mean)
			if i > 0 {
				product += (v - mean) * (side[i-1] - mean)
			}
		}
	}
	if square == 0 {
		return 1
	}
	phi := max(0, min(0.8, product/square))
	return (1 + phi) / (1 - phi)
}

// residualScale returns the standard deviation of residuals with outliers weighted down, and the variance of
// its logarithm.
func (sc *scanner) residualScale(far []residual) (s, variance float64) {
	d := make([]float64, len(far))
	for i, v := range far {
		d[i] = math.Abs(v.r)
	}
	s = max(robust.SD*robust.SortedMedian(ascending(nil, d)), scatter.LeastNoise)
	for range 10 {
		l := sc.loss(s)
		ss, sw, fourth := 0.0, 0.0, 0.0
		for _, v := range far {
			w := l.Weight(v.r)
			ss += w * sq(v.r)
			sw += w
			fourth += w * sq(sq(v.r))
		}
		s = max(math.Sqrt(ss/max(sw, 1)), scatter.LeastNoise)
		variance = max(fourth/max(sw, 1)/sq(sq(s))-1, 1) / (4 * max(sw, 1))
	}
	return s, variance
}
