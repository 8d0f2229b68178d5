package scaling

import (
	"math"

	"gonum.org/v1/gonum/floats"
)

const (
	// sumPenalty is the log likelihood that a law of two terms must gain over a constant. It must stay near
	// kinkPenalty, or sums of a slow and a fast term become kinks: 1.8 % of them at 6, 0.4 % at 3.
	sumPenalty = 2.0
	// hopeless is the residual, relative to the values, above which exponents between those of the grid of shapes
	// are not tried; trying them takes a tenth more time.
	hopeless = 0.35
)

// nullScratch is the memory of the search for one law.
type nullScratch struct {
	blocks *correlatedGroups // points that err together, or nil
	u      []float64         // the constant
	t      []float64         // what the constant leaves of the target
	c      []float64         // columns of n, orthogonal to the constant, of length 1
	by     []float64         // their products with t
	tt     float64           // t*t
	uu     float64
	// Of the law being refined: how it fits, and room for the next to be tried,
	// derivatives.
	fitted
	other fitted
	d     [4][]float64
	last  float64 // length of the column last projected
}

// fitted is a law with its coefficients: its columns as they are and made
// orthogonal, their lengths, coefficients of the latter, residuals.
type fitted struct {
	z, q         [2][]float64
	length, coef [2]float64
	r            []float64
}

// resize sets the lengths of the buffers to n points.
func (t *fitted) resize(n int) {
	t.r = resized(t.r, n)
	for a := range t.q {
		t.q[a], t.z[a] = resized(t.q[a], n), resized(t.z[a], n)
	}
}

// shapeLaw returns the score of a constant or one term on the grid of segments.
func (d *detector) shapeLaw(float64) float64 {
	c, n := d.cost.left[d.f.n], d.f.n
	d.rest = min(d.rest, c.term)
	return max(d.prior.score(c.constant, n, 1, 0), d.prior.score(c.term, n, 2, termPenalty))
}

// smoothLaw returns the score of the best single law of one or two terms, with exponents off the grid of
// segments too. Laws of the whole are richer than those of segments: otherwise deviations from the space of
// terms would look like a change.
func (d *detector) smoothLaw(enough float64) float64 {
	score, rest := d.richLaw(enough)
	d.rest = min(d.rest, rest)
	return score
}

// richLaw returns the score of the best single law of up to two terms, and the least residual sum of squares.
// It stops the search at a score of enough, or if the residuals are hopelessly large.
func (d *detector) richLaw(enough float64) (best, rest float64) {
	f, s := &d.f, &d.null
	s.prepare(f)
	gain, first, second := s.pairs(f.n)
	best = max(d.law(0, 1, 0), d.law(s.single(), 2, termPenalty), d.law(gain, 3, sumPenalty))
	rest = max(s.tt-max(gain, s.single()), 0)
	if best >= enough || rest > hopeless*hopeless*float64(f.n) {
		return best, rest
	}
	one := s.refineOne(f)
	best, rest = max(best, d.law(one, 2, termPenalty)), min(rest, max(s.tt-one, 0))
	if best >= enough || first < 0 {
		return best, rest
	}
	ia, ja := shapeOf(first)
	ib, jb := shapeOf(second)
	gain = s.refine(f, law{terms: 2, x: [4]float64{ia, ja, ib, jb}})
	return max(best, d.law(gain, 3, sumPenalty)), min(rest, max(s.tt-gain, 0))
}

// law returns the score of a law over all points with the given gain, in squares, over a constant.
func (d *detector) law(gain float64, coefs int, penalty float64) float64 {
	return d.prior.score(max(d.null.tt-gain, 0), d.f.n, coefs, penalty)
}

// prepare decorrelates the values and the columns of all shapes (points of one group err together) and makes
// them orthogonal to the constant. Afterwards tt is what a constant leaves of the sum of squares.
func (s *nullScratch) prepare(f *frame) {
	n := f.n
	s.t, s.u = resized(s.t, n), resized(s.u, n)
	s.fitted.resize(n)
	s.other.resize(n)
	for a := range s.d {
		s.d[a] = resized(s.d[a], n)
	}
	s.c, s.by = resized(s.c, n*shapes), resized(s.by, shapes)
	copy(s.t, f.t)
	copy(s.u, f.u)
	s.blocks.decorrelate(s.t)
	s.blocks.decorrelate(s.u)
	s.uu, s.tt = floats.Dot(s.u, s.u), 0
	ut := floats.Dot(s.u, s.t)
	for k, u := range s.u {
		s.t[k] -= u * ut / s.uu
		s.tt += s.t[k] * s.t[k]
	}
	for h := 0; h < shapes; h++ {
		col := s.c[h*n : (h+1)*n]
		for k, u := range f.u {
			col[k] = f.b[k*shapes+h] * u
		}
		s.blocks.decorrelate(col)
		s.by[h] = s.project(col)
	}
}

// project makes a column orthogonal to the constant and of length 1 and returns its product with the target. s.last is
// set to its length before. If nothing but a constant is left of it, the column becomes zeros and the result is 0.
func (s *nullScratch) project(col []float64) float64 {
	uz, zz := 0.0, 0.0
	u, t := s.u[:len(col)], s.t[:len(col)]
	for k, z := range col {
		uz += z * u[k]
		zz += z * z
	}
	m := uz / s.uu
	q, by := 0.0, 0.0
	for k, z := range col {
		z -= m * u[k]
		col[k] = z
		q += z * z
		by += z * t[k]
	}
	s.last = 1
	if !(q > 1e-11*zz) {
		clear(col)
		return 0
	}
	s.last = math.Sqrt(q)
	q = 1 / math.Sqrt(q)
	for k := range col {
		col[k] *= q
	}
	return by * q
}

// single returns the largest gain of one shape over a constant.
func (s *nullScratch) single() float64 {
	g := 0.0
	for _, v := range s.by {
		g = max(g, v*v)
	}
	return g
}

// pairs returns the largest gain of two shapes, with coefficients that are not negative, over a constant, and the
// indexes of the shapes; 0 and -1 without such a pair.
func (s *nullScratch) pairs(n int) (gain float64, first, second int) {
	first, second = -1, -1
	for a := 1; a < shapes; a++ {
		ca := s.c[a*n : (a+1)*n]
		ya := s.by[a]
		below := s.c[:a*n]
		for b, yb := range s.by[:a] {
			cb := below[:n:n]
			below = below[n:]
			if ya <= 0 && yb <= 0 {
				continue
			}
			r := floats.Dot(ca, cb)
			det := 1 - r*r
			x, y := ya-r*yb, yb-r*ya
			if det < 1e-9 || x < 0 || y < 0 {
				continue
			}
			if g := (x*ya + y*yb); g > gain*det {
				gain, first, second = g/det, a, b
			}
		}
	}
	return gain, first, second
}

// shapeOf returns the exponent of p and the power of the logarithm of shape h.
func shapeOf(h int) (i, j float64) {
	switch h {
	case 20:
		return -0.5, 0
	case 21:
		return -1, 0
	case 22:
		return -2, 0
	}
	h++
	return float64(h/3) / 2, float64(h % 3)
}

// column fills col with p^i * log^j in units of each point's noise.
func (f *frame) column(i, j float64, col []float64) {
	for k, l := range f.ln {
		e := i * l
		if j != 0 {
			e += j * f.lln[k]
		}
		col[k] = math.Exp(e) * f.u[k]
	}
}
