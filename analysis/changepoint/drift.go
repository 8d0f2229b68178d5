package changepoint

import "math"

// driftMargin is by how many nats two steps in one direction must explain the runs better than one drift to
// stay two entries. A larger margin merges more pairs of true steps.
const driftMargin = 0.5

// continuesDrift reports whether a change at run first, about to be committed as split c of the runs up to j,
// is one drift with the entry before it: both move the same way, and a level that moves along one line to
// another level explains all runs since before that entry as well as the steps do, less the margin.
func (sc *scanner) continuesDrift(prev event, first, j int, c split) bool {
	up := 1.0
	if c.right.mu < c.left.mu {
		up = -1
	}
	moved := up * (c.left.mu - sc.past[prev.before].mu)
	if up*prev.effect <= 0 || moved < c.s || first-prev.resumed > windowRuns {
		return false
	}
	from := max(sc.past[prev.before].first, prev.index-windowRuns/2, j-4*windowRuns)
	l := sc.loss(c.s)
	x := sc.x[from:j]
	weights := make([]float64, 0, len(x))
	steps := 0.0
	add := func(a, b int, mu float64) {
		steps += l.Total(sc.x[a:b], mu)
		for _, v := range sc.x[a:b] {
			weights = append(weights, l.Weight(v-mu))
		}
	}
	for _, q := range sc.past[prev.before:] {
		if q.end > from {
			add(max(q.first, from), q.end, q.mu)
		}
	}
	add(sc.start, first, c.left.mu)
	add(first, j, c.right.mu)
	return rampCost(x, weights, &l) <= steps+driftMargin
}

// rampPlaces is how many places are tried for each end of a ramp.
const rampPlaces = 14

// rampCost returns the loss of x around the best level that moves along a line
// to another level. The weights leave outliers out of the search.
func rampCost(x, weights []float64, l *loss) float64 {
	n := len(x)
	stride := max(1, n/rampPlaces)
	best := math.Inf(1)
	var ends [2]int
	for a := 0; a < n-1; a += stride {
		for b := a + 2; b < n+stride; b += stride {
			if e := fitRamp(x, weights, a, b).squares(x, weights, a, b); e < best {
				best, ends = e, [2]int{a, b}
			}
		}
	}
	at := fitRamp(x, weights, ends[0], ends[1])
	sum := 0.0
	for i, v := range x {
		sum += l.Cost(v - at.base - at.rise*rampFraction(i, ends[0], ends[1]))
	}
	return sum
}

// rampFraction returns the position of run i on a ramp from run a to run b: 0 up to a, 1 from b on.
func rampFraction(i, a, b int) float64 {
	return max(0, min(1, float64(i-a)/float64(b-a)))
}

// slope is a level that moves linearly from base, before a ramp, to base + rise, after it.
type slope struct{ base, rise float64 }

// fitRamp fits a level that moves linearly from run a to run b, by weighted least squares.
func fitRamp(x, weights []float64, a, b int) slope {
	var sw, su, sv, suu, suv float64
	for i, v := range x {
		w, u := weights[i], rampFraction(i, a, b)
		sw += w
		su += w * u
		sv += w * v
		suu += w * u * u
		suv += w * u * v
	}
	den := sw*suu - su*su
	if !(den > 1e-12) {
		return slope{base: sv / max(sw, 1e-12)}
	}
	rise := (sw*suv - su*sv) / den
	return slope{(sv - rise*su) / sw, rise}
}

// squares returns the weighted sum of squared residuals of x from the ramp between runs a and b.
func (m slope) squares(x, weights []float64, a, b int) float64 {
	e := 0.0
	for i, v := range x {
		e += weights[i] * sq(v-m.base-m.rise*rampFraction(i, a, b))
	}
	return e
}
