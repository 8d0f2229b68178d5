package changepoint

import "math"

// ramp is a level that moves slowly: base up to run a, base + rise from run b on, on a line between them. It is
// the only model of a slow movement. drift.go decides with it whether two changes are one, while runs arrive;
// creep.go finds with it the stretch of a whole history that moves.
type ramp struct {
	base, rise float64
	a, b       int     // b may lie after the last run: the movement continues
	squares    float64 // weighted sum of squared residuals of the runs that it was fitted to
}

// rampFraction returns the position of run i on a ramp from run a to run b: 0 up to a, 1 from b on.
func rampFraction(i, a, b int) float64 {
	return max(0, min(1, float64(i-a)/float64(b-a)))
}

// level returns the level of the ramp at run i.
func (m *ramp) level(i int) float64 { return m.base + m.rise*rampFraction(i, m.a, m.b) }

// prefixSums holds the sums for least squares up to each run, so that the sums of any stretch are a difference.
type prefixSums struct {
	upTo    []weighted
	weights []float64
}

// weighted holds weighted sums over runs: of the weights, of index i, i*i, value x, i*x and x*x.
type weighted struct{ w, i, ii, x, ix, xx float64 }

// newSums computes the prefix sums of values x with the given weights.
func newSums(x, weights []float64) prefixSums {
	s := prefixSums{make([]weighted, len(x)+1), weights}
	for k, v := range x {
		w, i := weights[k], float64(k)
		m := s.upTo[k]
		s.upTo[k+1] = weighted{m.w + w, m.i + w*i, m.ii + w*i*i, m.x + w*v, m.ix + w*i*v, m.xx + w*v*v}
	}
	return s
}

// runs returns the number of runs.
func (s *prefixSums) runs() int { return len(s.upTo) - 1 }

// between returns the sums over the runs [a,b).
func (s *prefixSums) between(a, b int) weighted {
	p, q := &s.upTo[a], &s.upTo[b]
	return weighted{q.w - p.w, q.i - p.i, q.ii - p.ii, q.x - p.x, q.ix - p.ix, q.xx - p.xx}
}

// levelSquares returns the residual sum of squares of one level fitted to the runs [a,b).
func (s *prefixSums) levelSquares(a, b int) float64 {
	p, q := &s.upTo[a], &s.upTo[b]
	w := q.w - p.w
	if w < 1e-9 {
		return 0
	}
	return max(0, q.xx-p.xx-sq(q.x-p.x)/w)
}

// fitRamp fits a level that moves from run a to run b to all runs, by weighted least squares. Its squares are
// infinite if no run with a weight lies on the ramp or after it.
func (s *prefixSums) fitRamp(a, b int) ramp {
	n := s.runs()
	long, at := float64(b-a), float64(a)
	all, on, after := s.upTo[n], s.between(a, min(b, n)), s.between(min(b, n), n)
	u := (on.i-at*on.w)/long + after.w
	uu := (on.ii-2*at*on.i+at*at*on.w)/(long*long) + after.w
	ux := (on.ix-at*on.x)/long + after.x
	den := all.w*uu - u*u
	if !(den > 1e-9) {
		return ramp{a: a, b: b, squares: math.Inf(1)}
	}
	rise := (all.w*ux - u*all.x) / den
	base := (all.x - rise*u) / all.w
	return ramp{base, rise, a, b, max(0, all.xx-base*all.x-rise*ux)}
}

// fitLevel fits a ramp without a rise.
func (s *prefixSums) fitLevel() ramp {
	all := s.upTo[s.runs()]
	return ramp{base: all.x / max(all.w, 1e-12), b: 1, squares: s.levelSquares(0, s.runs())}
}
