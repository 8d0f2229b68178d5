package dtw

import "math"

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
