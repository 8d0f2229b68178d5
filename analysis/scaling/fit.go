package scaling

import (
	"math"
	"slices"
)

// exponents is the shape of one term, p^i * log2(p)^j; j is 0, 1 or 2.
type exponents struct{ i, j float64 }

// paperPairs returns the exponents of the paper's search space: i in 0, 1/2 .. 3 and j in 0, 1, 2 without the
// constant, in the order in which ties are broken.
func paperPairs() []exponents {
	pairs := make([]exponents, 0, 20)
	for i := 0.0; i <= 3; i += 0.5 {
		for j := 0.0; j <= 2; j++ {
			if i != 0 || j != 0 {
				pairs = append(pairs, exponents{i, j})
			}
		}
	}
	return pairs
}

// basis holds the terms of a search space evaluated at given parameter values: x[s][k] belongs to pairs[s] and
// p[k].
type basis struct {
	pairs []exponents
	x     [][]float64
}

// newBasis evaluates pairs at p. Below p = 1 logarithms are negative and their
// powers no law of growth: there only pairs without them are kept, as Extra-P does.
func newBasis(pairs []exponents, p []float64) basis {
	logs := slices.Min(p) >= 1
	b := basis{pairs: make([]exponents, 0, len(pairs)), x: make([][]float64, 0, len(pairs))}
	for _, e := range pairs {
		if e.j != 0 && !logs {
			continue
		}
		x := make([]float64, len(p))
		for k, v := range p {
			x[k] = Term{I: e.i, J: e.j}.Shape(v)
		}
		b.pairs = append(b.pairs, e)
		b.x = append(b.x, x)
	}
	return b
}

// line is the least-squares line a + b*x and its residual sum of squares.
type line struct{ a, b, rss float64 }

// fitLine fits y = a + b*x by least squares. ok is false if x does not vary, or varies beyond the range of
// floats.
func fitLine(x, y []float64) (l line, ok bool) {
	n := float64(len(x))
	mx, my := 0.0, 0.0
	for k := range x {
		mx += x[k]
		my += y[k]
	}
	mx /= n
	my /= n
	sxx, sxy := 0.0, 0.0
	for k := range x {
		d := x[k] - mx
		sxx += d * d
		sxy += d * (y[k] - my)
	}
	if !(sxx > 0) || math.IsInf(sxx, 0) {
		return l, false
	}
	l.b = sxy / sxx
	l.a = my - l.b*mx
	for k := range x {
		r := y[k] - my - l.b*(x[k]-mx)
		l.rss += r * r
	}
	return l, !math.IsInf(l.b, 0) && !math.IsNaN(l.b)
}

// oneTerm returns the model of a constant and one term with the least residual sum of squares over points first..last
// (inclusive) of the basis; rss is +Inf if no term can be fitted.
func (b basis) oneTerm(y []float64, first, last int) (m Model, rss float64) {
	rss = math.Inf(1)
	for s, e := range b.pairs {
		l, ok := fitLine(b.x[s][first:last+1], y[first:last+1])
		if ok && l.rss < rss {
			rss = l.rss
			m = Model{Constant: l.a, Terms: []Term{{Coefficient: l.b, I: e.i, J: e.j}}}
		}
	}
	return m, rss
}

// constantModel returns a model that is constant: the mean of y.
func constantModel(y []float64) Model {
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	return Model{Constant: sum / float64(len(y)), Terms: []Term{}}
}

// columns returns the parameters and mean values of points.
func columns(points []point) (p, y []float64) {
	p, y = make([]float64, len(points)), make([]float64, len(points))
	for k, pt := range points {
		p[k], y[k] = pt.p, pt.mean()
	}
	return p, y
}
