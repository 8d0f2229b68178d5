package scaling

import "math"

// orthogonal is a column without its weighted mean, scaled to length 1.
type orthogonal struct {
	z            []float64 // times the weight
	gain         float64   // projection of y on z
	scale, means float64
	column       []float64
}

// orthogonal makes the part of a column at the points orthogonal to the constant and of length 1. uu is the sum of the
// squared weights, my the weighted mean of the values. ok is false if nothing is left of the column.
func (e lawFits) orthogonal(col []float64, uu, my float64) (o orthogonal, ok bool) {
	x := col[e.first:e.space.n]
	o = orthogonal{z: make([]float64, len(x)), column: col}
	for k, u := range e.u {
		o.means += u * u * x[k] / uu
	}
	q, xx := 0.0, 0.0
	for k, u := range e.u {
		o.z[k] = u * (x[k] - o.means)
		q += o.z[k] * o.z[k]
		xx += u * u * x[k] * x[k]
	}
	if !(q > 1e-11*xx) || math.IsInf(q, 0) {
		return o, false
	}
	o.scale = 1 / math.Sqrt(q)
	for k, u := range e.u {
		o.z[k] *= o.scale
		o.gain += o.z[k] * u * (e.y[k] - my)
	}
	return o, true
}

// pairs appends to out the laws of a constant and two of the paper's terms or decreasing ones, with coefficients that
// are not negative, that are possible (see isPossible). With fewer than four points it appends none.
func (e lawFits) pairs(out []candidate) []candidate {
	if e.count < 4 {
		return out
	}
	uu, my := sumSquares(e.u), weightedMean(e.y, e.u)
	total := relativeSquares(Model{Constant: my}, e.y, e.y, e.u)
	var cols []orthogonal
	for _, col := range e.space.sums {
		if o, ok := e.orthogonal(col, uu, my); ok {
			cols = append(cols, o)
		}
	}
	prior := sumPrior - math.Log(float64(max(1, len(cols)*(len(cols)-1)/2)))
	for a := range cols {
		for b := range cols[:a] {
			c, ok := e.pair(&cols[a], &cols[b], total, uu, my)
			if ok && e.isPossible(c) {
				c.weight += prior
				out = append(out, c)
			}
		}
	}
	return out
}

// leastDeterminant is the determinant below which two columns count as equal.
const leastDeterminant = 1e-9

// fitTogether returns the coefficients of two columns fitted together, their correlation r and the determinant
// 1-r*r.
func (a *orthogonal) fitTogether(b *orthogonal) (ca, cb, r, det float64) {
	for k := range a.z {
		r += a.z[k] * b.z[k]
	}
	det = 1 - r*r
	return (a.gain - r*b.gain) / det, (b.gain - r*a.gain) / det, r, det
}

// pair returns the law of two columns; false if a coefficient is negative or the columns are equal.
func (e lawFits) pair(a, b *orthogonal, total, uu, my float64) (candidate, bool) {
	ca, cb, r, det := a.fitTogether(b)
	if det < leastDeterminant || ca < 0 || cb < 0 {
		return candidate{}, false
	}
	log, variance, dof := e.posterior(max(total-ca*a.gain-cb*b.gain, 0), 3)
	c := candidate{weight: log, dof: dof}
	for t := e.space.n; t < len(a.column); t++ {
		xa, xb := (a.column[t]-a.means)*a.scale, (b.column[t]-b.means)*b.scale
		leverage := 1/uu + (xa*xa-2*r*xa*xb+xb*xb)/det
		c.at = append(c.at, e.spread(t, my+ca*xa+cb*xb, variance, leverage))
	}
	return c, true
}
