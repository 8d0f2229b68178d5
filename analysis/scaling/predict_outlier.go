package scaling

import "math"

// A run that was disturbed is slower than its law; one that ended early is faster. Taken as noise it makes
// intervals twice as wide as they need be; so laws of the other points are candidates too, at the price of such
// a point.
const (
	// disturbedPrior is the log probability that a point is disturbed, with
	// the factor of a normal density that evidence of fewer points lacks.
	disturbedPrior = -3.5 + 0.919
	// disturbedSpan is the mean of the logarithm of its value over the law's.
	disturbedSpan = 0.5
	// endedEarlyPrior is added for a point below the law: runs that end early are rarer.
	endedEarlyPrior = -1.5
	// disturbedLeast is the log odds against one law of all points from which
	// it is worth the time to fit all laws again.
	disturbedLeast = -1.0
)

// withDisturbed appends to out the laws of the other points if one point, or a few up to a quarter of all, are
// disturbed, with the log probability of these in their weights. It removes the most probable one at a time, as long as
// enoughPoints points are there and the removal is probable enough.
func (e lawFits) withDisturbed(out []candidate) []candidate {
	if !e.positive {
		return out
	}
	before, _, _ := e.posterior(e.leastSquares(), 2)
	for range len(e.y) / 4 {
		if e.count < enoughPoints {
			break
		}
		best, at, price := math.Inf(-1), -1, 0.0
		for k := range e.y {
			if v, p := e.weightWithout(k); v+p > best {
				best, at, price = v+p, k, p
			}
		}
		if at < 0 || best-before < disturbedLeast {
			break
		}
		e.u[at] = 0
		e.count--
		e.prior += price
		before = best
		out = e.pairs(e.terms(e.constant(out)))
	}
	return out
}

// weightWithout returns the log evidence of the laws of all points but k, and the log probability of point k as
// a disturbed one; -Inf if the law is not positive there.
func (e lawFits) weightWithout(k int) (weight, price float64) {
	kept := e.u[k]
	if kept == 0 {
		return math.Inf(-1), 0
	}
	e.u[k] = 0
	defer func() { e.u[k] = kept }()
	squares, value := math.Inf(1), 0.0
	for _, col := range e.space.sums {
		x := col[e.first:e.space.n]
		if f := relativeFit(x, e.y, e.u); f.ok && f.squares < squares {
			squares, value = f.squares, f.constant+f.slope*x[k]
		}
	}
	if !(value > 0) {
		return math.Inf(-1), 0
	}
	e.count--
	weight, _, _ = e.posterior(squares, 2)
	return weight, disturbedPrice(e.y[k] / value)
}

// disturbedPrice returns the log probability of a point at the given ratio to its law.
func disturbedPrice(ratio float64) float64 {
	price := disturbedPrior - math.Log(disturbedSpan) - math.Abs(math.Log(ratio))/disturbedSpan
	if ratio < 1 {
		price += endedEarlyPrior
	}
	return price
}

// leastSquares returns the residual sum of squares of the best law of one of the paper's terms.
func (e lawFits) leastSquares() float64 {
	best := math.Inf(1)
	for _, col := range e.space.sums {
		if f := relativeFit(col[e.first:e.space.n], e.y, e.u); f.ok {
			best = min(best, f.squares)
		}
	}
	return best
}
