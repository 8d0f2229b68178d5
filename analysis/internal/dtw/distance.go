package dtw

import "math"

// Absolute returns the smallest sum of |x_i - y_j| over the pairs of a path
// within the band. Once no path can stay at or below limit, it returns infinity.
func (s *Scratch) Absolute(x, y []float64, band int, limit float64) float64 {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return inf
	}
	prev, cur := s.rows(m)
	start(prev)
	for i := 1; i <= n; i++ {
		lo, hi := limits(i, n, m, band)
		least := absoluteRow(x[i-1], y[lo-1:hi], prev[lo-1:hi+1], cur[lo:hi+1])
		if least > limit {
			return inf
		}
		seal(cur, i, n, m, band, lo, hi)
		prev, cur = cur, prev
	}
	if prev[m] > limit {
		return inf
	}
	return prev[m]
}

// absoluteRow fills cur with the costs of one row. prev begins one column
// earlier than y and cur. It returns the smallest cost.
func absoluteRow(v float64, y, prev, cur []float64) float64 {
	cur = cur[:len(y)]
	prev = prev[:len(y)+1]
	left, diagonal, least := inf, prev[0], inf
	for j, w := range y {
		up := prev[j+1]
		c := math.Abs(v-w) + min(diagonal, up, left)
		cur[j] = c
		left, diagonal = c, up
		least = min(least, c)
	}
	return least
}

// Squared returns the smallest sum of (x_i - y_j)^2 over the pairs of a path
// within the band: the paper's DTW_2.
func (s *Scratch) Squared(x, y []float64, band int) float64 {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return inf
	}
	prev, cur := s.rows(m)
	start(prev)
	for i := 1; i <= n; i++ {
		lo, hi := limits(i, n, m, band)
		left, diagonal := inf, prev[lo-1]
		v := x[i-1]
		for j := lo; j <= hi; j++ {
			up := prev[j]
			c := (v-y[j-1])*(v-y[j-1]) + min(diagonal, up, left)
			cur[j] = c
			left, diagonal = c, up
		}
		seal(cur, i, n, m, band, lo, hi)
		prev, cur = cur, prev
	}
	return prev[m]
}

// Mean returns the absolute distance over the number of pairs in its path: the
// paper's DTW / assoc_DTW. Without a band.
func (s *Scratch) Mean(x, y []float64) float64 {
	n, m := len(x), len(y)
	if n == 0 || m == 0 {
		return inf
	}
	prev, cur := s.rows(m)
	start(prev)
	was, is := s.steps[:m+1], s.next[:m+1]
	for j := range was {
		was[j] = 0
	}
	for i := 1; i <= n; i++ {
		cur[0], is[0] = inf, 0
		v := x[i-1]
		for j := 1; j <= m; j++ {
			best, steps := prev[j-1], was[j-1]
			if prev[j] < best {
				best, steps = prev[j], was[j]
			}
			if cur[j-1] < best {
				best, steps = cur[j-1], is[j-1]
			}
			cur[j] = best + math.Abs(v-y[j-1])
			is[j] = steps + 1
		}
		prev, cur = cur, prev
		was, is = is, was
	}
	return prev[m] / float64(was[m])
}
