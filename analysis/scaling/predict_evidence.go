package scaling

import "math"

// lawFits fits the laws of one start of the last segment under one profile of
// noise.
type lawFits struct {
	first        int
	y            []float64 // from first on
	profile      []float64 // likewise
	prior        float64   // of the profile
	squares, dof float64   // of the noise before
	space        lawSpace
	u            []float64 // 0 for points that are left out
	count        int       // of those that are not
	positive     bool
}

// candidates returns all laws with their log evidence; if the values are positive, only laws that stay positive
// up to the targets.
func (e lawFits) candidates() []candidate {
	e.u = divideByProfile(weights(e.y), e.profile)
	e.positive = positive(e.y)
	e.count = len(e.y)
	return e.withDisturbed(e.pairs(e.terms(e.constant(nil))))
}

// shared scales the weights so that they add up to the share exp(logShare).
func shared(of []candidate, logShare float64) []candidate {
	top, sum := math.Inf(-1), 0.0
	for _, c := range of {
		top = max(top, c.weight)
	}
	for _, c := range of {
		sum += math.Exp(c.weight - top)
	}
	for i := range of {
		of[i].weight += logShare - top - math.Log(sum)
	}
	return of
}

// posterior returns the log evidence of a law with k coefficients and the given residual squares, the variance
// of its noise and the degrees of freedom.
func (e lawFits) posterior(squares float64, k int) (log, variance, dof float64) {
	v := predictShape + (e.dof+float64(e.count-k))/2
	b := predictShape*predictScale*predictScale + (e.squares+squares)/2
	lg, _ := math.Lgamma(v)
	log = lg - v*math.Log(b) + e.prior
	if k > 1 {
		v = max(v-searchCost/2, predictShape)
	}
	return log, b / v, 2 * v
}

// constant appends to out the law that is constant, the weighted mean of the values, with its predictions.
func (e lawFits) constant(out []candidate) []candidate {
	c := weightedMean(e.y, e.u)
	log, variance, dof := e.posterior(relativeSquares(Model{Constant: c}, e.y, e.y, e.u), 1)
	cand := candidate{weight: log, dof: dof}
	for t := e.space.n; t < len(e.space.beyond); t++ {
		cand.at = append(cand.at, e.spread(t, c, variance, 1/sumSquares(e.u)))
	}
	return append(out, cand)
}

// spread returns the prediction of a law with value f at target t. Its error has the variance of the noise times the
// leverage, and a part that grows with the doublings beyond the points; that of a new run has the noise too.
func (e lawFits) spread(t int, f, variance, leverage float64) spread {
	last := len(e.y) - 1
	unit := math.Abs(f)
	if !e.positive {
		unit = 1 / (e.u[last] * e.profile[last])
	}
	stray := predictDrift * e.space.beyond[t] * unit
	law := variance*leverage + stray*stray
	unit *= e.profile[last]
	return spread{f, math.Sqrt(law), math.Sqrt(law + variance*unit*unit)}
}

// terms appends to out the laws of a constant and one term of the fine grid that are possible (see isPossible).
// Dividing the grid further where the points demand it was worth .005 of coverage at most: at 1/16, a cell of p^i is 4
// % wide at four times the largest p.
func (e lawFits) terms(out []candidate) []candidate {
	prior := onePrior - math.Log(float64(len(e.space.dense)))
	for _, col := range e.space.dense {
		f := relativeFit(col[e.first:e.space.n], e.y, e.u)
		if !f.ok {
			continue
		}
		log, variance, dof := e.posterior(f.squares, 2)
		l := candidate{weight: log + prior, dof: dof}
		for t := e.space.n; t < len(col); t++ {
			l.at = append(l.at, e.spread(t, f.constant+f.slope*col[t], variance, f.leverage(col[t])))
		}
		if e.isPossible(l) {
			out = append(out, l)
		}
	}
	return out
}

// isPossible reports whether a law stays positive at the targets, if the values are positive.
func (e lawFits) isPossible(c candidate) bool {
	for _, s := range c.at {
		if e.positive && !(s.centre > 0) {
			return false
		}
	}
	return true
}
