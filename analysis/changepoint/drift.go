package changepoint

import "math"

// driftMargin is by how much two steps in one direction must beat one drift
// to stay two entries. More makes one entry of two true steps.
const driftMargin = 0.5

// continues says whether a change at run first, about to be committed as split c of the runs
// up to j, is one drift with the entry before it: both move the same way, and
// a level that moves along one line to another level explains all runs since
// before that entry as well as the steps do, less the margin.
func (sc *scanner) continues(prev event, first, j int, c split) bool {
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
			if e := ramp(x, weights, a, b).error(x, weights, a, b); e < best {
				best, ends = e, [2]int{a, b}
			}
		}
	}
	at := ramp(x, weights, ends[0], ends[1])
	sum := 0.0
	for i, v := range x {
		sum += l.Cost(v - at.base - at.rise*along(i, ends[0], ends[1]))
	}
	return sum
}

// along is how far run i is on the way from a to b: 0 before, 1 after.
func along(i, a, b int) float64 {
	return max(0, min(1, float64(i-a)/float64(b-a)))
}

// slope is a level and by how much it moves.
type slope struct{ base, rise float64 }

// ramp fits a level that moves from run a to run b, by weighted least squares.
func ramp(x, weights []float64, a, b int) slope {
	var sw, su, sv, suu, suv float64
	for i, v := range x {
		w, u := weights[i], along(i, a, b)
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

// error is the weighted sum of squares that the ramp leaves.
func (m slope) error(x, weights []float64, a, b int) float64 {
	e := 0.0
	for i, v := range x {
		e += weights[i] * sq(v-m.base-m.rise*along(i, a, b))
	}
	return e
}
