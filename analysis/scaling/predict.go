package scaling

import "math"

// The constants of predictions were chosen on development draws of the
// coverage table (tables_test.go) and confirmed on others; its figures stand in
// the package comment.
const (
	// predictShape and predictScale are the prior of the noise. They are weaker than the range of levels of
	// detection: there, small misfits must not become changes; here, a floor of 1 % would make the interval of
	// every quiet series too wide.
	predictShape, predictScale = 0.5, 0.003
	// onePrior and sumPrior are the log prior odds of all laws of one term and
	// of all sums of two against the constant.
	onePrior, sumPrior = 0.0, 2.0
	// predictDrift is how far the real law may stray, relative to itself, for
	// each doubling beyond the points: one standard deviation.
	predictDrift = 0.008
	// startOdds is the log factor by which a change is taken for more probable here than for a verdict. A verdict
	// must rarely be wrong by chance in thousands of series; here a missed change makes the interval of an
	// extrapolation too short.
	startOdds = 3.0
	// searchCost is the degrees of freedom that the search for exponents takes
	// from the noise, beside one for each coefficient.
	searchCost = 0.5
	// profilePrior is the log prior odds of noise that grows, and of noise that
	// shrinks, against noise in proportion to the value.
	profilePrior = -1.5
	// leastStart: a start of the last law that is less probable is left out.
	leastStart = 0.005
	// leastWeight: so are the least probable laws that have this share together.
	leastWeight = 0.002
	// predictLevel is the level of intervals.
	predictLevel = 0.95
)

// candidate is one law of the last segment with its weight, and its prediction at each target: a t distribution
// around centre.
type candidate struct {
	weight float64 // its logarithm, until weigh makes it a share
	dof    float64
	at     []spread
}

// spread is a law's value at one p, the scale of its error there, and the scale
// of a new run's distance from it.
type spread struct{ centre, law, run float64 }

// outlook holds the predictions of a series at target parameter values, which may lie beyond the measured ones.
// It averages over every start of the last law and over every law from there on: choosing one and forgetting
// the choice is what makes intervals of extrapolations too short.
type outlook struct {
	targets    []float64
	candidates []candidate
}

// makeOutlook returns the predictions of g at targets. Only points of the last law determine the value; all of
// them determine the noise.
func makeOutlook(g grid, d detection, targets []float64) outlook {
	o := outlook{targets: targets}
	w := newLawSpace(g.p, targets)
	for s, share := range starts(d, len(g.p)) {
		if share < leastStart || len(g.p)-s < 2 {
			continue
		}
		var of []candidate
		for i, profile := range profiles(len(g.p)) {
			e := lawFits{y: g.y[s:], first: s, space: w, profile: profile[s:]}
			e.squares, e.dof = noiseBefore(g, d.cuts, s, profile)
			if i > 0 {
				e.prior = profilePrior
			}
			of = append(of, e.candidates()...)
		}
		o.candidates = append(o.candidates, shared(of, math.Log(share))...)
	}
	o.normaliseWeights()
	return o
}

// starts returns the probability of each of n points to be the start of the last law: that of the detection, with every
// change e^startOdds times as probable relative to none. Without a detection, one law over all points is certain.
func starts(d detection, n int) []float64 {
	s := make([]float64, n)
	s[0] = 1
	if len(d.last) != n {
		return s
	}
	sum := 0.0
	for k, v := range d.last {
		if k > 0 {
			v *= math.Exp(startOdds)
		}
		s[k] = v
		sum += v
	}
	for k := range s {
		s[k] /= sum
	}
	return s
}

// noiseBefore returns the residual sum of squares, relative to the values and the profile of noise, of the
// stretches between cuts before point s, and its degrees of freedom.
func noiseBefore(g grid, cuts []int, s int, profile []float64) (squares, dof float64) {
	from := 0
	for _, c := range append(append([]int(nil), cuts...), s) {
		c = min(c, s)
		// Two points are fitted by any term and say nothing of noise.
		if c-from > 2 {
			squares += leastRelativeSquares(g.p[from:c], g.y[from:c], profile[from:c])
			dof += float64(c - from - 2)
		}
		from = max(from, c)
	}
	return squares, dof
}

// leastRelativeSquares returns the residual sum of squares, relative to the values, of the best law of one
// term.
func leastRelativeSquares(p, y, profile []float64) float64 {
	best := math.Inf(1)
	u := divideByProfile(weights(y), profile)
	for _, x := range newBasis(append(paperPairs(), decreasingShapes()...), p).x {
		f := relativeFit(x, y, u)
		if f.ok {
			best = min(best, f.squares)
		}
	}
	return best
}

// profiles returns the assumed profiles of noise over the points: constant, growing and shrinking in proportion
// to the index. Their geometric mean is 1, so that evidence of one compares with that of another. Five to
// twelve points hardly show which it is; without the last two, intervals of series whose noise grows hold .87
// of new runs at the largest p.
func profiles(n int) [][]float64 {
	out := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
	mean := 0.0
	for k := range n {
		mean += math.Log(float64(k+1)) / float64(n)
	}
	for k := range n {
		out[0][k] = 1
		out[1][k] = float64(k+1) / math.Exp(mean)
		out[2][k] = float64(n-k) / math.Exp(mean)
	}
	return out
}

// divideByProfile returns weights divided by a profile.
func divideByProfile(u, profile []float64) []float64 {
	out := make([]float64, len(u))
	for k := range u {
		out[k] = u[k] / profile[k]
	}
	return out
}

// decreasingShapes returns the exponents of shapes that decrease, of which the paper's space has none.
func decreasingShapes() []exponents { return []exponents{{-0.5, 0}, {-1, 0}, {-2, 0}} }

// weights returns the weights of the values y; see weigh.
func weights(y []float64) []float64 {
	u := make([]float64, len(y))
	weigh(u, y)
	return u
}

// weigh fills u with 1/y: errors are taken relative to the value. Where a value is not
// positive, errors are taken as equal at all p, in units of the mean magnitude.
func weigh(u, y []float64) {
	scale, positive := 0.0, true
	for _, v := range y {
		scale += math.Abs(v) / float64(len(y))
		positive = positive && v > 0
	}
	for k, v := range y {
		switch {
		case positive:
			u[k] = 1 / v
		case scale > 0:
			u[k] = 1 / scale
		default:
			u[k] = 1
		}
	}
}

// weighted is a weighted least-squares line constant + slope*x, with the sums for its error at other x.
type weighted struct {
	constant, slope float64
	squares         float64
	centre, uu, q   float64 // weighted mean of x, sum of weights, spread of x
	ok              bool
}

// relativeFit fits y = constant + slope*x by least squares with the weights u squared. ok is false if x hardly varies
// beside its size or beyond the range of floats.
func relativeFit(x, y, u []float64) weighted {
	var uu, ux, uy float64
	for k := range x {
		w := u[k] * u[k]
		uu += w
		ux += w * x[k]
		uy += w * y[k]
	}
	f := weighted{uu: uu, centre: ux / uu}
	my := uy / uu
	var xx, q, r float64
	for k := range x {
		w := u[k] * u[k]
		d := x[k] - f.centre
		xx += w * x[k] * x[k]
		q += w * d * d
		r += w * d * (y[k] - my)
	}
	// Where x hardly varies beside its size, the slope is rounding.
	if !(q > 1e-11*xx) || math.IsInf(q, 0) {
		return f
	}
	f.q, f.slope = q, r/q
	f.constant = my - f.slope*f.centre
	for k := range x {
		e := (y[k] - my - f.slope*(x[k]-f.centre)) * u[k]
		f.squares += e * e
	}
	f.ok = true
	return f
}

// leverage returns the variance of the fitted value at x in units of that of the noise.
func (f weighted) leverage(x float64) float64 {
	d := x - f.centre
	return 1/f.uu + d*d/f.q
}
