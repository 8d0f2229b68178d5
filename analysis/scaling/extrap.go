package scaling

import "math"

// extraPPairs returns the exponents of Extra-P 4.2.5's search space in its order, which breaks ties.
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

// modelExtraP fits constant + one term as the Basic modeler of Extra-P 4.2.5 does:
// the mean, unless one term has a smaller SMAPE left one out than the mean has in
// sample. (That is not a fair comparison; it is Extra-P's.) Of equal ones the first
// of the list stays. Every fold is fitted by itself: a closed form took 60 lines, was
// rounding where one point carries a shape, and was a fifth faster (Analyse, ten points).
func modelExtraP(p, y []float64) Model {
	m := constantModel(y)
	mean, best, rss := m.Constant, 0.0, 0.0
	for _, v := range y {
		best += smape(mean, v)
		rss += (v - mean) * (v - mean)
	}
	if rss == 0 || len(y) < leastForModel {
		return m
	}
	basis, smallest := newBasis(extraPPairs(), p), leastWithout(y)
	for s, e := range basis.pairs {
		full, ok := fitLine(basis.x[s], y)
		if !ok || full.b == 0 {
			continue
		}
		term := Model{Constant: full.a, Terms: []Term{{Coefficient: full.b, I: e.i, J: e.j}}}
		if loo := foldByFold(basis.x[s], y, smallest, best); loo < best*(1-tieTolerance) && !isNegligible(term, p, y) {
			best, m = loo, term
		}
	}
	return m
}

// foldByFold returns the leave-one-out error of the line y = a + b*x: the sum over the points of the SMAPE of the
// prediction by a line through the others. It returns limit as soon as the sum reaches that or a line cannot be fitted.
// smallest has the least value of each fold.
func foldByFold(x, y, smallest []float64, limit float64) float64 {
	xf, yf := make([]float64, 0, len(x)), make([]float64, 0, len(x))
	sum := 0.0
	for k := range x {
		xf = append(append(xf[:0], x[:k]...), x[k+1:]...)
		yf = append(append(yf[:0], y[:k]...), y[k+1:]...)
		fit, ok := fitLine(xf, yf)
		if !ok {
			return limit
		}
		sum += smape(withoutTinyConstant(fit.a+fit.b*x[k], fit.a, smallest[k]), y[k])
		if !(sum < limit) {
			return limit
		}
	}
	return sum
}

// tieTolerance is the relative difference below which two terms count as equal: on 2, 4, 8 the shapes p^2 and
// p*log2(p)^2 are one up to a factor and a constant; rounding must not choose between such.
const tieTolerance = 1e-12

// withoutTinyConstant returns the prediction f of a fold without its constant, if that is negligible beside the
// least training value.
func withoutTinyConstant(f, constant, smallest float64) float64 {
	if smallest == 0 {
		smallest = 1
	}
	if math.Abs(constant) < leastShare*math.Abs(smallest) {
		return f - constant
	}
	return f
}

// leastWithout returns the least value of each fold: of all values but one.
func leastWithout(y []float64) []float64 {
	first, second, at := math.Inf(1), math.Inf(1), 0
	for k, v := range y {
		switch {
		case v < first:
			first, second, at = v, first, k
		case v < second:
			second = v
		}
	}
	out := make([]float64, len(y))
	for k := range y {
		out[k] = first
	}
	out[at] = second
	return out
}

// smape returns one point's term of the symmetric mean absolute percentage error, between 0 and 2.
func smape(f, y float64) float64 {
	d := math.Abs(f) + math.Abs(y)
	if d == 0 {
		return 0
	}
	return 2 * math.Abs(f-y) / d
}
