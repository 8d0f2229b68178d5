package changepoint

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

// rampCost returns the loss of x around the best ramp. The weights leave outliers out of the search.
func rampCost(x, weights []float64, l *loss) float64 {
	n := len(x)
	stride := max(1, n/rampPlaces)
	s := newSums(x, weights)
	best := s.fitLevel()
	for a := 0; a < n-1; a += stride {
		for b := a + 2; b < n+stride; b += stride {
			if m := s.fitRamp(a, b); m.squares < best.squares {
				best = m
			}
		}
	}
	sum := 0.0
	for i, v := range x {
		sum += l.Cost(v - best.level(i))
	}
	return sum
}
