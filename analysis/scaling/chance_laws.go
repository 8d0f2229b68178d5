package scaling

import "math"

// The laws that a series may have if it has one: a constant, one term with
// exponents on a grid or the best ones off it, sums of two shapes of segments.
const (
	denseShapes = 21*5 - 1 // i from -2 to 3 by 1/4, j from 0 to 2 by 1/2
	refinedLaw  = 1 + denseShapes
	firstPair   = refinedLaw + 1
	chanceLaws  = firstPair + shapes*(shapes-1)/2
)

// chanceClasses is the classes of laws, by their number of terms.
const chanceClasses = 3

func lawsOf(class int) (from, to int) {
	return [...]int{0, 1, firstPair}[class], [...]int{1, firstPair, chanceLaws}[class]
}

// denseShape is the exponents of a shape of the grid.
func denseShape(h int) (i, j float64) {
	if h >= 40 {
		h++ // p^0 is the constant
	}
	return -2 + float64(h/5)/4, float64(h%5) / 2
}

// oneLaws is all laws of one series under one kind of noise.
type oneLaws struct {
	f       *frame
	w       []float64
	blocks  *blocks
	n       int                 // points that are not left out
	rest    [chanceLaws]float64 // residual sum of squares, NaN where there is no such law
	extra   [chanceLaws]float64 // of the log likelihood: how well the points tell the coefficients
	refined law
}

// like is the log likelihood of law h, of a class, at a level.
func (x *oneLaws) like(h, class int, variance, logV float64) float64 {
	return x.extra[h] - (float64(x.n-1-class)*logV+x.rest[h]/variance)/2
}

// chanceScratch is the memory of a worker.
type chanceScratch struct {
	d      *detector
	dense  []float64 // columns of the grid of shapes
	col    []float64
	r      frame
	lens   [shapes]float64
	laws   oneLaws
	even   [chanceLaws]float64 // extra of even noise, which that of others is relative to
	column [3][]float64
	mixed  [3][]float64
	target []float64
}

// prepare makes the columns of the detector's series.
func (c *chanceScratch) prepare() {
	f := &c.d.f
	c.dense = resized(c.dense, f.n*denseShapes)
	c.col = resized(c.col, f.n)
	for h := range denseShapes {
		i, j := denseShape(h)
		for k, l := range f.ln {
			e := i * l
			if i < 0 {
				e -= i * f.ln[0]
			}
			if j != 0 {
				e += j * f.lln[k]
			}
			c.dense[h*f.n+k] = math.Exp(e)
		}
	}
}

// fitNoise fits all laws under a kind of noise. The first must be the even one.
func (c *chanceScratch) fitNoise(x *oneLaws, k kindOfNoise, kind int) {
	x.f, x.w, x.blocks = &c.d.f, k.w, k.blocks
	x.n = c.d.f.n - len(k.out)
	c.fit(x)
	if kind == evenNoise {
		c.even = x.extra
	}
	for h := range x.extra {
		x.extra[h] -= c.even[h]
	}
}

// fit fits all laws.
func (c *chanceScratch) fit(x *oneLaws) {
	s, f, r := &c.d.null, x.f, &c.r
	r.n, r.logs, r.b, r.ln, r.lln = f.n, f.logs, f.b, f.ln, f.lln
	r.t, r.u = resized(r.t, f.n), resized(r.u, f.n)
	for k, w := range x.w {
		r.t[k], r.u[k] = f.t[k]*w, f.u[k]*w
	}
	s.blocks = x.blocks
	s.prepare(r)
	fillWith(x.rest[:], math.NaN())
	x.rest[0], x.extra[0] = s.tt, -math.Log(s.uu)/2
	c.single(x)
	c.pairs(x)
	s.blocks = nil
}

// single fits the laws of one term.
func (c *chanceScratch) single(x *oneLaws) {
	s, r := &c.d.null, &c.r
	n, best, top := r.n, -1, 0.0
	for h := range denseShapes {
		if _, j := denseShape(h); j > 0 && !r.logs {
			continue
		}
		for k, u := range r.u {
			c.col[k] = c.dense[h*n+k] * u
		}
		x.blocks.mix(c.col)
		by := s.project(c.col)
		if by == 0 {
			continue
		}
		by *= by
		x.rest[1+h] = max(s.tt-by, 0)
		x.extra[1+h] = x.extra[0] - math.Log(s.last)
		if by > top {
			best, top = h, by
		}
	}
	if best < 0 {
		return
	}
	i, j := denseShape(best)
	gain := s.refine(r, law{terms: 1, x: [4]float64{i, j}})
	x.refined = s.refined
	x.rest[refinedLaw] = max(s.tt-gain, 0)
	x.extra[refinedLaw] = x.extra[1+best]
}

// pairs fits the laws of two terms, whose coefficients are not negative.
func (c *chanceScratch) pairs(x *oneLaws) {
	s, r := &c.d.null, &c.r
	n := r.n
	for h := range c.lens {
		for k, u := range r.u {
			c.col[k] = r.b[k*shapes+h] * u
		}
		x.blocks.mix(c.col)
		s.project(c.col)
		c.lens[h] = math.Log(s.last)
	}
	h := firstPair
	for a := 1; a < shapes; a++ {
		ca, ya := s.c[a*n:(a+1)*n], s.by[a]
		for b := 0; b < a; b, h = b+1, h+1 {
			yb := s.by[b]
			q := dot(ca, s.c[b*n:(b+1)*n])
			det := 1 - q*q
			x.extra[h] = x.extra[0] - c.lens[a] - c.lens[b] - math.Log(max(det, 1e-9))/2
			if u, v := ya-q*yb, yb-q*ya; det > 1e-9 && u >= 0 && v >= 0 {
				x.rest[h] = max(s.tt-(u*ya+v*yb)/det, 0)
			}
		}
	}
}

// columns fills in the constant and the terms of law h and returns how many
// columns these are.
func (c *chanceScratch) columns(x *oneLaws, h int) int {
	f := x.f
	for i := range c.column {
		c.column[i], c.mixed[i] = resized(c.column[i], f.n), resized(c.mixed[i], f.n)
	}
	copy(c.column[0], f.u)
	switch {
	case h == 0:
		return 1
	case h == refinedLaw:
		f.column(x.refined.x[0], x.refined.x[1], c.column[1])
		return 2
	case h < firstPair:
		for k, u := range f.u {
			c.column[1][k] = c.dense[(h-1)*f.n+k] * u
		}
		return 2
	}
	a, b := 1, h-firstPair
	for ; b >= a; a++ {
		b -= a
	}
	for k, u := range f.u {
		c.column[1][k], c.column[2][k] = f.b[k*shapes+a]*u, f.b[k*shapes+b]*u
	}
	return 3
}

// law is the fit of law h at all points, relative to the values; nil where it
// is not positive.
func (c *chanceScratch) law(x *oneLaws, h int) []float64 {
	n := x.f.n
	count := c.columns(x, h)
	c.target = resized(c.target, n)
	weigh := func(to, from []float64) {
		for k, w := range x.w {
			to[k] = from[k] * w
		}
		x.blocks.mix(to)
	}
	weigh(c.target, x.f.t)
	out := make([]float64, n)
	// Columns as the errors are independent become orthogonal; what is done to
	// them is done to those as they are.
	for i := range count {
		col, m := c.column[i], c.mixed[i]
		weigh(m, col)
		for j := range i {
			subtract(col, c.column[j], subtract(m, c.mixed[j], dot(m, c.mixed[j])))
		}
		length := math.Sqrt(dot(m, m))
		if !(length > 0) {
			return nil
		}
		for k := range m {
			m[k] /= length
			col[k] /= length
		}
		subtract(out, col, -dot(m, c.target))
	}
	for k := range out {
		if out[k] /= x.f.t[k]; !(out[k] > leastFit) {
			return nil
		}
	}
	return out
}

// leastFit is how much of a value a law may leave unexplained for noise to be
// what makes the difference.
const leastFit = 0.02

// subtract takes by times b off a and returns by.
func subtract(a, b []float64, by float64) float64 {
	for k, v := range b {
		a[k] -= by * v
	}
	return by
}
