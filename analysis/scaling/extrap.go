package scaling

import "math"

// extraPPairs is the search space of Extra-P 4.2.5 in its order, which breaks ties.
func extraPPairs() []exponents {
	const third = 1.0 / 3
	return []exponents{
		{0, 1}, {0, 2}, {1. / 4, 0}, {third, 0}, {1. / 4, 1}, {third, 1}, {1. / 4, 2}, {third, 2},
		{1. / 2, 0}, {1. / 2, 1}, {1. / 2, 2}, {2 * third, 0}, {3. / 4, 0}, {2 * third, 1}, {3. / 4, 1},
		{4. / 5, 0}, {2 * third, 2}, {3. / 4, 2}, {1, 0}, {1, 1}, {1, 2}, {5. / 4, 0}, {5. / 4, 1},
		{4 * third, 0}, {4 * third, 1}, {3. / 2, 0}, {3. / 2, 1}, {3. / 2, 2}, {5 * third, 0}, {7. / 4, 0},
		{2, 0}, {2, 1}, {2, 2}, {9. / 4, 0}, {7 * third, 0}, {5. / 2, 0}, {5. / 2, 1}, {5. / 2, 2},
		{8 * third, 0}, {11. / 4, 0}, {3, 0}, {3, 1},
	}
}

// leaveOneOut fits constant + one term as the Basic modeler of Extra-P 4.2.5
// does, to any number of series over the same parameter values. It is not safe
// for concurrent use.
type leaveOneOut struct {
	basis   basis
	stat    []columnStat
	without []float64 // scratch: least |y| of the fold without each point
}

// columnStat is what the fit of any y over one shape needs to know of the shape.
type columnStat struct {
	mean, sxx float64
	d         []float64 // x - mean
	free      []float64 // 1 / (1 - leverage)
	// heavy: one point carries nearly all of sxx, so that the closed form
	// without it would be rounding. Each fold is fitted then.
	heavy bool
}

// newLeaveOneOut prepares ascending, distinct, positive p.
func newLeaveOneOut(p []float64) *leaveOneOut {
	l := &leaveOneOut{basis: newBasis(extraPPairs(), p), without: make([]float64, len(p))}
	n := float64(len(p))
	l.stat = make([]columnStat, 0, len(l.basis.x))
	all := make([]float64, 2*len(p)*len(l.basis.x))
	for _, x := range l.basis.x {
		c := columnStat{d: all[:len(x)], free: all[len(x) : 2*len(x)]}
		all = all[2*len(x):]
		for _, v := range x {
			c.mean += v / n
		}
		for k, v := range x {
			c.d[k] = v - c.mean
			c.sxx += c.d[k] * c.d[k]
		}
		for k, d := range c.d {
			free := 1 - 1/n - d*d/c.sxx
			c.free[k] = 1 / free
			// 1e-16 of rounding in 1e-7 is a relative error of 1e-9.
			c.heavy = c.heavy || !(free > 1e-7)
		}
		l.stat = append(l.stat, c)
	}
	return l
}

// fit returns the model of y: the mean, unless one term has a smaller SMAPE
// left one out than the mean has in sample. (That is not a fair comparison; it
// is Extra-P's.) Of equal ones the first of the list stays.
func (l *leaveOneOut) fit(y []float64) Model {
	m := constantModel(y)
	mean, best, rss := m.Constant, 0.0, 0.0
	for _, v := range y {
		best += smape(mean, v)
		rss += (v - mean) * (v - mean)
	}
	if rss == 0 || len(y) < leastForModel {
		return m
	}
	l.leastWithout(y)
	var chosen Term
	for s, e := range l.basis.pairs {
		c := &l.stat[s]
		if !(c.sxx > 0) || math.IsInf(c.sxx, 0) {
			continue
		}
		b := 0.0
		for k, d := range c.d {
			b += d * (y[k] - mean)
		}
		b /= c.sxx
		if loo := l.error(s, b, mean, y, best); loo < best*(1-tie) && b != 0 && !l.negligible(s, b, y) {
			best = loo
			chosen = Term{Coefficient: b, I: e.i, J: e.j}
			m.Constant = mean - b*c.mean
		}
	}
	if chosen.Coefficient != 0 {
		m.Terms = []Term{chosen}
	}
	return m
}

// error is the sum of SMAPE terms with each point left out. It stops as soon as
// it is no better than limit: then its value does not matter.
func (l *leaveOneOut) error(s int, b, mean float64, y []float64, limit float64) float64 {
	c := &l.stat[s]
	if c.heavy {
		return l.foldByFold(s, y, limit)
	}
	n := float64(len(y))
	sum := 0.0
	for k, d := range c.d {
		r := y[k] - mean - b*d
		f := y[k] - r*c.free[k]
		// The constant of the fold: slope and centre without point k.
		bk := b - d*r*c.free[k]/c.sxx
		centre := -d / (n - 1)
		ak := mean - (y[k]-mean)/(n-1) - bk*(centre+c.mean)
		sum += smape(cleaned(f, ak, l.without[k]), y[k])
		if !(sum < limit) {
			return limit
		}
	}
	return sum
}

// foldByFold fits every fold by itself.
func (l *leaveOneOut) foldByFold(s int, y []float64, limit float64) float64 {
	x := l.basis.x[s]
	xf, yf := make([]float64, 0, len(x)), make([]float64, 0, len(x))
	sum := 0.0
	for k := range x {
		xf = append(append(xf[:0], x[:k]...), x[k+1:]...)
		yf = append(append(yf[:0], y[:k]...), y[k+1:]...)
		fit, ok := fitLine(xf, yf)
		if !ok {
			return limit
		}
		sum += smape(cleaned(fit.a+fit.b*x[k], fit.a, l.without[k]), y[k])
		if !(sum < limit) {
			return limit
		}
	}
	return sum
}

// tie: on 2, 4, 8 the shapes p^2 and p*log2(p)^2 are one up to a factor and a
// constant; rounding must not choose between such.
const tie = 1e-12

// cleaned takes a constant that is nothing beside the least training value out
// of a fold's prediction.
func cleaned(f, constant, least float64) float64 {
	if least == 0 {
		least = 1
	}
	if math.Abs(constant) < leastShare*math.Abs(least) {
		return f - constant
	}
	return f
}

// leastWithout fills in the least value of each fold.
func (l *leaveOneOut) leastWithout(y []float64) {
	first, second, at := math.Inf(1), math.Inf(1), 0
	for k, v := range y {
		switch {
		case v < first:
			first, second, at = v, first, k
		case v < second:
			second = v
		}
	}
	for k := range y {
		l.without[k] = first
	}
	l.without[at] = second
}

// negligible says that the term is nothing beside any value.
func (l *leaveOneOut) negligible(s int, b float64, y []float64) bool {
	for k, x := range l.basis.x[s] {
		if math.Abs(b*x) >= leastShare*math.Abs(y[k]) {
			return false
		}
	}
	return true
}

// smape is one point's share of the symmetric mean absolute percentage error,
// between 0 and 2.
func smape(f, y float64) float64 {
	d := math.Abs(f) + math.Abs(y)
	if d == 0 {
		return 0
	}
	return 2 * math.Abs(f-y) / d
}
