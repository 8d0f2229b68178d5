package scaling

import "math"

// modelLikelihood returns the law that reports show: a constant and up to two terms, fitted with errors
// relative to the value, a penalty for each coefficient, and without disturbed runs; nil for fewer than
// leastForModel points. Predictions do not use it: they average over many laws.
func modelLikelihood(parameter string, p, y []float64) *Model {
	if len(p) < leastForModel {
		return nil
	}
	r := lawSearch{basis: newBasis(append(paperPairs(), decreasingShapes()...), p), p: p, y: y, u: weights(y),
		count: len(y)}
	m, score := r.law()
	if positive(y) {
		m = r.undisturbed(m, score)
	}
	return m.withErrors(parameter, p, y)
}

// lawSearch is the search for one law over some points.
type lawSearch struct {
	basis   basis
	p, y, u []float64 // weight 0 is left out
	count   int       // of those that are not
}

// law returns the best law of up to two terms and its score.
func (r *lawSearch) law() (m Model, best float64) {
	m, best = r.oneTerm()
	if two, squares, ok := twoTerms(r.basis, r.y, r.u, r.count); ok {
		if score := readableScore(squares, r.count, 3); score > best {
			return two, score
		}
	}
	return m, best
}

// oneTerm returns the best law of at most one term and its score.
func (r *lawSearch) oneTerm() (m Model, best float64) {
	m = Model{Constant: weightedMean(r.y, r.u), Terms: []Term{}}
	best = readableScore(relativeSquares(m, r.p, r.y, r.u), r.count, 1)
	for s, e := range r.basis.pairs {
		f := relativeFit(r.basis.x[s], r.y, r.u)
		if !f.ok {
			continue
		}
		one := Model{Constant: f.constant, Terms: []Term{{f.slope, e.i, e.j}}}
		if score := readableScore(f.squares, r.count, 2); score > best && !isNegligible(one, r.p, r.y) {
			best, m = score, one
		}
	}
	return m, best
}

// undisturbed returns the best law without points, at most a quarter, that lie so far from the law of the
// others that a disturbance, or below it an early end, explains them better. It keeps at least enoughPoints
// points, and clears the weights of the others in r.
func (r *lawSearch) undisturbed(m Model, score float64) Model {
	for range len(r.y) / 4 {
		if r.count <= enoughPoints {
			break
		}
		best, at, law, price := score, -1, m, 0.0
		for k, kept := range r.u {
			if kept == 0 {
				continue
			}
			r.u[k] = 0
			r.count--
			one, v := r.law()
			if f := one.At(r.p[k]); f > 0 {
				if q := disturbedPrice(r.y[k] / f); v+q > best {
					best, at, law, price = v+q, k, one, q
				}
			}
			r.u[k] = kept
			r.count++
		}
		if at < 0 {
			break
		}
		r.u[at] = 0
		r.count--
		// Scores from here on are those of the points that are left.
		m, score = law, best-price
	}
	return m
}

// readableScore returns the log evidence of a law with k coefficients: noise has a prior of 1.5 % with the
// weight of four points, so that smaller deviations do not make a law complicated; each coefficient costs 2.
func readableScore(squares float64, n, k int) float64 {
	const shape, scale, price = 2, 0.015, 2
	v := shape + float64(n-k)/2
	lg, _ := math.Lgamma(v)
	return lg - v*math.Log(shape*scale*scale+squares/2) - price*float64(k)
}

// twoTermPoints is the least number of points for two terms: a law with three
// coefficients follows five points whatever they are.
const twoTermPoints = 7

// twoTerms returns the sum of a constant and two terms of the basis, both with positive coefficients, with the least
// residual squares, each residual multiplied by u. count is the number of points whose u is not 0. ok is false for
// fewer than twoTermPoints points or if no such sum exists.
func twoTerms(b basis, y, u []float64, count int) (m Model, squares float64, ok bool) {
	squares = math.Inf(1)
	if count < twoTermPoints {
		return m, squares, false
	}
	e := lawFits{y: y, u: u, space: lawSpace{n: len(y)}}
	uu, my := sumSquares(u), weightedMean(y, u)
	total := relativeSquares(Model{Constant: my}, y, y, u)
	var cols []orthogonal
	var shape []exponents
	for s, x := range b.x {
		if o, fine := e.orthogonal(x, uu, my); fine {
			cols, shape = append(cols, o), append(shape, b.pairs[s])
		}
	}
	for i := range cols {
		for j := range cols[:i] {
			ca, cb, _, det := cols[i].fitTogether(&cols[j])
			s := total - ca*cols[i].gain - cb*cols[j].gain
			if det < leastDeterminant || ca <= 0 || cb <= 0 || !(s < squares) {
				continue
			}
			squares, ok = max(s, 0), true
			a, c := ca*cols[i].scale, cb*cols[j].scale
			m = Model{
				Constant: my - a*cols[i].means - c*cols[j].means,
				Terms:    []Term{{c, shape[j].i, shape[j].j}, {a, shape[i].i, shape[i].j}},
			}
		}
	}
	return m, squares, ok
}

// sumSquares returns the sum of the squares of u.
func sumSquares(u []float64) (sum float64) {
	for _, v := range u {
		sum += v * v
	}
	return sum
}

// weightedMean returns the mean of y with weights u squared.
func weightedMean(y, u []float64) float64 {
	sum := 0.0
	for k, v := range u {
		sum += v * v * y[k]
	}
	return sum / sumSquares(u)
}

// relativeSquares returns the residual sum of squares of a model, with residuals multiplied by u.
func relativeSquares(m Model, p, y, u []float64) (sum float64) {
	for k := range y {
		r := (y[k] - m.At(p[k])) * u[k]
		sum += r * r
	}
	return sum
}
