package scaling

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

// refineOne optimizes both exponents of the best shapes with and without a logarithm, off the grid, and returns
// the largest gain.
func (s *nullScratch) refineOne(f *frame) float64 {
	gain := 0.0
	for _, logs := range []bool{false, true} {
		h, g := -1, -1.0
		for a, v := range s.by {
			if v*v > g {
				if _, j := shapeOf(a); (j > 0) == logs {
					h, g = a, v*v
				}
			}
		}
		i, j := shapeOf(h)
		gain = max(gain, g, s.refine(f, law{terms: 1, x: [4]float64{i, j}}))
		if !f.logs {
			break
		}
	}
	return gain
}

// law is the exponents of one or two terms: i and j of the first, then of the second.
type law struct {
	terms int
	x     [4]float64
}

// refine improves the exponents of a law, starting at the best law of the grid of shapes: at most 8 damped
// Gauss-Newton steps on the residuals after the linear coefficients are fitted (variable projection with
// Kaufman's approximation). It returns the largest gain found: by how much the law lowers the residual sum of
// squares of a constant.
func (s *nullScratch) refine(f *frame, at law) float64 {
	best := s.gain(f, at)
	damp := 1e-3
	for n := 0; n < 8 && damp < 10; n++ {
		s.differentiate(f, at)
		next := at
		for a, v := range s.step(2*at.terms, damp) {
			switch {
			case a&1 == 0:
				next.x[a] = bound(at.x[a]+v, -3, 3.5)
			case f.logs:
				next.x[a] = bound(at.x[a]+v, 0, 2.5)
			}
		}
		s.fitted, s.other = s.other, s.fitted
		g := s.gain(f, next)
		if !(g > best) {
			damp *= 30
			s.fitted, s.other = s.other, s.fitted
			continue
		}
		done := g-best < 1e-7+1e-2*(s.tt-g)
		at, best = next, g
		damp /= 10
		if done {
			break
		}
	}
	return best
}

// bound returns x limited to the range lo..hi.
func bound(x, lo, hi float64) float64 { return min(max(x, lo), hi) }

// gain fits the coefficients of a law and returns its gain over a constant: by how much it lowers the residual sum of
// squares. The gain of two terms is 0 if a coefficient is negative or the terms are equal. It leaves the residuals and
// the orthogonal columns for differentiate.
func (s *nullScratch) gain(f *frame, at law) float64 {
	var by [2]float64
	for a := 0; a < at.terms; a++ {
		f.column(at.x[2*a], at.x[2*a+1], s.z[a])
		copy(s.q[a], s.z[a])
		s.blocks.decorrelate(s.q[a])
		by[a] = s.project(s.q[a])
		s.length[a] = s.last
	}
	if at.terms == 1 {
		for k := range s.r {
			s.r[k] = s.t[k] - by[0]*s.q[0][k]
		}
		s.coef[0] = by[0]
		return by[0] * by[0]
	}
	r := floats.Dot(s.q[0], s.q[1])
	det := 1 - r*r
	c0, c1 := by[0]-r*by[1], by[1]-r*by[0]
	if det < 1e-9 || c0 < 0 || c1 < 0 {
		return 0
	}
	c0, c1 = c0/det, c1/det
	s.coef[0], s.coef[1] = c0, c1
	q := 1 / math.Sqrt(det)
	for k := range s.r {
		s.r[k] = s.t[k] - c0*s.q[0][k] - c1*s.q[1][k]
		s.q[1][k] = (s.q[1][k] - r*s.q[0][k]) * q
	}
	return c0*by[0] + c1*by[1]
}

// differentiate fills the derivatives of the residuals by the exponents, less
// what the coefficients take up.
func (s *nullScratch) differentiate(f *frame, at law) {
	for a := 0; a < 2*at.terms; a++ {
		w := f.ln
		if a&1 == 1 {
			w = f.lln
		}
		d, scale := s.d[a], s.coef[a/2]/s.length[a/2]
		for k, v := range s.z[a/2] {
			d[k] = v * w[k] * scale
		}
		s.blocks.decorrelate(d)
		m := floats.Dot(d, s.u) / s.uu
		for k, u := range s.u {
			d[k] -= m * u
		}
		for b := 0; b < at.terms; b++ {
			m = floats.Dot(d, s.q[b])
			for k, v := range s.q[b] {
				d[k] -= m * v
			}
		}
	}
}

// step returns the Gauss-Newton step of the first n exponents, each limited to 0.5 either way. It solves the normal
// equations of the derivatives by elimination; the damping makes them regular.
func (s *nullScratch) step(n int, damp float64) (x [4]float64) {
	var m [4][5]float64
	for a := 0; a < n; a++ {
		for b := 0; b <= a; b++ {
			m[a][b] = floats.Dot(s.d[a], s.d[b])
			m[b][a] = m[a][b]
		}
		m[a][4] = floats.Dot(s.d[a], s.r)
		m[a][a] += damp*m[a][a] + 1e-12
	}
	for a := 0; a < n; a++ {
		for b := a + 1; b < n; b++ {
			w := m[b][a] / m[a][a]
			for c := a; c < n; c++ {
				m[b][c] -= w * m[a][c]
			}
			m[b][4] -= w * m[a][4]
		}
	}
	for a := n - 1; a >= 0; a-- {
		v := m[a][4]
		for b := a + 1; b < n; b++ {
			v -= m[a][b] * x[b]
		}
		x[a] = v / m[a][a]
	}
	for a := range x {
		x[a] = bound(x[a], -0.5, 0.5)
	}
	return x
}
