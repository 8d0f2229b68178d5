package scaling

import "math"

// frame is a series as the least-squares problem of the detector: residuals
// are t - c0*u - c1*z with z one column of b times u.
type frame struct {
	n    int
	t, u []float64 // the values and the constant law, in units of the noise
	b    []float64 // n rows of shapes, each scaled to at most 1
	logs bool      // all p >= 1: there are shapes with logarithms
	// ln and lln are the logarithms of p and of log p, over those of the last point.
	ln, lln []float64
}

// shapes is the number of terms a segment may have: the paper's 20 pairs and
// p^-1/2, p^-1, p^-2.
const shapes = 23

// prepare sets the frame to the points of g: their values and the constant law in units of the noise (see weigh), the
// shapes scaled by the largest p, and the logarithms of p. Without logs (p below 1) the shapes with logarithms are 0.
func (f *frame) prepare(g grid) {
	f.n = len(g.y)
	f.t, f.u = resized(f.t, f.n), resized(f.u, f.n)
	f.b = resized(f.b, f.n*shapes)
	f.ln, f.lln = resized(f.ln, f.n), resized(f.lln, f.n)
	f.logs = g.p[0] >= 1
	pmax := g.p[f.n-1]
	weigh(f.u, g.y)
	for k, y := range g.y {
		f.t[k] = y * f.u[k]
	}
	for k, p := range g.p {
		f.ln[k] = math.Log(p / pmax)
	}
	lmax := 1.0
	if f.logs {
		if lmax = math.Log2(pmax); lmax == 0 {
			lmax = 1
		}
	}
	for k, p := range g.p {
		l := 0.0
		if f.logs {
			l = math.Log2(p) / lmax
		}
		f.lln[k] = max(math.Log(l), -700)
		shapeRow(f.b[k*shapes:(k+1)*shapes], p/pmax, l, g.p[0]/p)
	}
}

// shapeRow fills in the shapes at one point: x and l are p and its logarithm
// over those of the last point, inverse is the first p over this one.
func shapeRow(row []float64, x, l, inverse float64) {
	w, root, c := 1.0, math.Sqrt(x), 0
	for i := range 7 {
		if i > 0 {
			row[c] = w
			c++
		}
		row[c], row[c+1] = w*l, w*l*l
		c += 2
		w *= root
	}
	row[c], row[c+1], row[c+2] = math.Sqrt(inverse), inverse, inverse*inverse
}

// cost is the least residual sum of squares on a range of points of a constant
// and of a constant with one term.
type cost struct{ constant, term float64 }

// costs holds the costs of all beginnings and ends of a series.
type costs struct {
	left       []cost // [c]: points 0..c-1
	right      []cost // [c]: points c..n-1
	zz, uz, tz [shapes]float64
	uu, ut, tt float64
	m          int
	best       int // shape, for the sums that were looked at last
}

// ends sets left and right: the costs of the first c points and of all points from c on, for every c from 0 to
// n.
func (c *costs) ends(f *frame) {
	n := f.n
	c.resize(n)
	c.left[0], c.right[n] = cost{}, cost{}
	c.reset()
	for k := 0; k < n; k++ {
		c.add(f, k)
		c.left[k+1] = c.lowest()
	}
	c.reset()
	for k := n - 1; k >= 0; k-- {
		c.add(f, k)
		c.right[k] = c.lowest()
	}
}

// resize sets the sizes of left and right for n points.
func (c *costs) resize(n int) {
	if cap(c.left) < n+1 {
		c.left, c.right = make([]cost, n+1), make([]cost, n+1)
	}
	c.left, c.right = c.left[:n+1], c.right[:n+1]
}

// reset clears the running sums.
func (c *costs) reset() {
	c.zz, c.uz, c.tz = [shapes]float64{}, [shapes]float64{}, [shapes]float64{}
	c.uu, c.ut, c.tt, c.m, c.best = 0, 0, 0, 0, 0
}

// add adds point k to the running sums.
func (c *costs) add(f *frame, k int) {
	u, t := f.u[k], f.t[k]
	row := (*[shapes]float64)(f.b[k*shapes:])
	for h, b := range row {
		z := b * u
		c.zz[h] += z * z
		c.uz[h] += u * z
		c.tz[h] += t * z
	}
	c.uu += u * u
	c.ut += u * t
	c.tt += t * t
	c.m++
}

// lowest returns the least residual sums of squares of the points in the sums: of a constant, and of a constant with
// the best shape. One or two points leave 0 with a shape.
func (c *costs) lowest() cost {
	a, b := c.ut/c.uu, 1/c.uu
	constant := max(c.tt-c.ut*a, 0)
	if c.m <= 2 {
		if c.m == 1 {
			constant = 0
		}
		return cost{constant, 0}
	}
	// The gain of a term is r*r/q; the largest is found without dividing. With the
	// shape that was best for a point less it is mostly found at once.
	num, den := 0.0, 1.0
	if zz, uz := c.zz[c.best], c.uz[c.best]; zz-uz*uz*b > 1e-11*zz {
		r := c.tz[c.best] - uz*a
		num, den = r*r, zz-uz*uz*b
	}
	for h, zz := range &c.zz {
		uz := c.uz[h]
		q := zz - uz*uz*b
		r := c.tz[h] - uz*a
		if r*r*den > num*q && q > 1e-11*zz {
			num, den, c.best = r*r, q, h
		}
	}
	return cost{constant, max(constant-num/den, 0)}
}

// without makes f the frame of the points of g for which out is false.
func (f *frame) without(g *frame, out []bool) {
	f.n, f.logs = 0, g.logs
	f.t, f.u = f.t[:0], f.u[:0]
	f.b, f.ln, f.lln = f.b[:0], f.ln[:0], f.lln[:0]
	for k, gone := range out {
		if gone {
			continue
		}
		f.n++
		f.t, f.u = append(f.t, g.t[k]), append(f.u, g.u[k])
		f.b = append(f.b, g.b[k*shapes:(k+1)*shapes]...)
		f.ln, f.lln = append(f.ln, g.ln[k]), append(f.lln, g.lln[k])
	}
}
