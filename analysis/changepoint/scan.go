package changepoint

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// split is a division of a window into two levels.
type split struct {
	k           int     // runs on the left
	evidence    float64 // nats for two levels rather than one, less penalties
	s           float64 // noise
	left, right level
	df          float64 // degrees of freedom of the noise
	bound       evidenceBound
}

// evidenceBound says what the evidence of a split is: the number itself, or an upper bound of it. Most splits have too
// little evidence even by a rough bound, which takes a fraction of the time.
type evidenceBound int

const (
	exactEvidence evidenceBound = iota
	tightBound                  // by the level that a descent from the left level reaches
	roughBound                  // by the level of the side with more runs
)

// scanner scans one history; it holds the buffers, so that a scan does not allocate.
type scanner struct {
	history
	p      Params
	start  int          // first run of the regime that is being watched
	past   []pastRegime // finished regimes
	sorted []float64
	right  []float64
	near   []float64
	buf    []float64
	cum    []float64
	order  []screened
	splits []split
}

// screened is a split with its evidence, in nats, by a quick two-sample statistic and by recorded fields and
// other series.
type screened struct {
	k    int
	nats float64
}

// Limits of the quick test: splits below screenZ are not fitted, and of the others only the best screenKeep.
// Both are generous: at the threshold of evidence z is 4.5. At 2.5 a sixth more time goes into fits, for .001
// of F1. Recorded fields and other series count here too: a weak change at a flip was else never looked at
// where chance made six other places.
const (
	screenZ    = 3
	screenKeep = 6
)

// screen returns the splits of window [i,j) to be fitted, the best first, by the two-sample z of values
// winsorised at six scales. least is the least number of runs on the left.
func (sc *scanner) screen(i, j, least int, s0 float64) []screened {
	n := j - i
	sc.winsorise(sc.x[i:j], s0)
	sc.order = sc.order[:0]
	for k := least; k <= n-minSegment; k++ {
		if !sc.startsNewTime(i + k) {
			continue
		}
		l, r := float64(k), float64(n-k)
		z := math.Abs((sc.cum[n]-sc.cum[k])/r-sc.cum[k]/l) * math.Sqrt(l*r/(l+r))
		if nats := z*z/2 + sc.outsideEvidence(i+k); nats > screenZ*screenZ/2 {
			sc.order = append(sc.order, screened{k, nats})
		}
	}
	slices.SortStableFunc(sc.order, func(a, b screened) int { return cmp.Compare(b.nats, a.nats) })
	return sc.order[:min(screenKeep, len(sc.order))]
}

// winsorise sets sc.cum to the cumulative sums of runs x, as distances from their median in scales of their
// noise, limited to six.
func (sc *scanner) winsorise(x []float64, s0 float64) {
	sc.buf = append(sc.buf[:0], x...)
	med := robust.MedianInPlace(sc.buf)
	scale := max(scatter.NoiseOfSteps(sc.buf, x), s0/3)
	sc.cum = append(sc.cum[:0], 0)
	for q, v := range x {
		sc.cum = append(sc.cum, sc.cum[q]+max(-6, min(6, (v-med)/scale)))
	}
}

const (
	// minSegment is the fewest runs of a level: the paper's three.
	minSegment = 3
	// leftOfCut is the fewest runs left of a split once the window was cut, so
	// that an outlier at its edge is not a level.
	leftOfCut = 10
)

// leastLeft returns the least number of runs left of a split: leftOfCut if the window was cut, that is, does not reach
// back to the start of the regime; else one less than minSegment.
func leastLeft(cut bool) int {
	if cut {
		return leftOfCut
	}
	return minSegment - 1
}

// scan returns the best split of window [i,j) and all that were fitted. cut says that the window does not reach back to
// the start of the regime. Evidence of the best is exact from the threshold on.
func (sc *scanner) scan(i, j int, cut bool, b noisePrior) (split, []split) {
	sc.splits = sc.splits[:0]
	for _, q := range sc.screen(i, j, leastLeft(cut), b.s) {
		if c, ok := sc.fitSplit(sc.x[i:j], q.k, b); ok {
			c.evidence += sc.outsideEvidence(i + q.k)
			sc.splits = append(sc.splits, c)
		}
	}
	for {
		none := split{evidence: math.Inf(-1)}
		best := &none
		for q := range sc.splits {
			if sc.splits[q].evidence > best.evidence {
				best = &sc.splits[q]
			}
		}
		if best.bound == exactEvidence || best.evidence < sc.p.Threshold {
			return *best, sc.splits
		}
		if best.bound == roughBound {
			sc.tightenEvidence(sc.x[i:j], best, sc.outsideEvidence(i+best.k))
			continue
		}
		sc.completeEvidence(sc.x[i:j], best, sc.outsideEvidence(i+best.k))
	}
}

// fitExactSplit fits the split of window [i,j) after k runs, with its exact evidence against one level. It
// returns false if a side has too few runs that agree.
func (sc *scanner) fitExactSplit(i, j, k int, b noisePrior) (split, bool) {
	c, ok := sc.fitSplit(sc.x[i:j], k, b)
	if ok {
		c.evidence += sc.outsideEvidence(i + k)
		sc.completeEvidence(sc.x[i:j], &c, sc.outsideEvidence(i+k))
	}
	return c, ok
}

// fitSplit fits levels to the first k of runs x and to the others, and returns a rough bound of their evidence against
// one level, by the values alone. It returns false if a side has too few runs that agree.
func (sc *scanner) fitSplit(x []float64, k int, b noisePrior) (split, bool) {
	n := len(x)
	sc.sorted, sc.right = rankedQuartiles(sc.sorted, x[:k]), rankedQuartiles(sc.right, x[k:])
	nl, nr := sc.sorted, sc.right
	df := float64(n - 2)
	m := splitScale(sc.buf, x, k, robust.SortedMedian(nl), robust.SortedMedian(nr))
	s := math.Sqrt((b.weight*b.s*b.s + df*m*m) / (b.weight + df))
	floor := sc.recentNoise(x, k, robust.SortedMedian(nl), robust.SortedMedian(nr), s)
	l := sc.loss(raiseNoise(s, floor))
	left, right := l.fitLevel(x[:k], nl), l.fitLevel(x[k:], nr)
	l = sc.loss(raiseNoise(l.noiseAround(x, k, left.mu, right.mu, b), floor))
	left.mu, _ = l.Descend(x[:k], left.mu)
	right.mu, _ = l.Descend(x[k:], right.mu)
	l = sc.loss(raiseNoise(l.noiseAround(x, k, left.mu, right.mu, b), floor))
	left, right = l.descendFrom(x[:k], left.mu), l.descendFrom(x[k:], right.mu)
	if right.weight < float64(minSegment)-0.6 || left.weight < 1.5 {
		return split{}, false
	}
	c := split{k: k, s: l.Scale, left: left, right: right, df: b.weight + df, bound: roughBound}
	if left.weight > right.weight {
		c.evidence = l.Total(x[k:], left.mu) - right.cost
	} else {
		c.evidence = l.Total(x[:k], right.mu) - left.cost
	}
	c.evidence += roundingNats
	return c, true
}

// roundingNats is added to a rough bound, because sums in another order differ by rounding errors.
const roundingNats = 1e-9

// tightenEvidence replaces a rough bound of the evidence of a split of runs x by a tight one; beside is the part of it
// from outside the values. The loss of one level is the least of several descents, of which only the first is made.
func (sc *scanner) tightenEvidence(x []float64, c *split, beside float64) {
	if c.bound != roughBound {
		return
	}
	c.bound = tightBound
	l := sc.loss(c.s)
	c.evidence = l.descendFrom(x, c.left.mu).cost - c.left.cost - c.right.cost + beside
}

// completeEvidence makes the evidence of a split of runs x exact; beside is the part of it from outside the values.
func (sc *scanner) completeEvidence(x []float64, c *split, beside float64) {
	if c.bound == exactEvidence {
		return
	}
	sc.tightenEvidence(x, c, beside)
	c.bound = exactEvidence
	l := sc.loss(c.s)
	one := min(l.descendFrom(x, c.right.mu).cost, l.fitLevel(x, rankedQuartiles(sc.sorted, x)).cost)
	c.evidence = min(c.evidence, one-c.left.cost-c.right.cost+beside)
}

// refit fits the noise and the levels of split c of runs x alternately, for the given number of rounds.
func (sc *scanner) refit(x []float64, c split, b noisePrior, rounds int) split {
	l := sc.loss(c.s)
	for range rounds {
		l = sc.loss(max(l.noiseAround(x, c.k, c.left.mu, c.right.mu, b), scatter.LeastNoise))
		c.left.mu, _ = l.Descend(x[:c.k], c.left.mu)
		c.right.mu, _ = l.Descend(x[c.k:], c.right.mu)
	}
	c.s = l.Scale
	return c
}

// outsideEvidence returns the evidence for a change at run i, in nats, from recorded fields and other series.
func (sc *scanner) outsideEvidence(i int) float64 {
	b := 0.0
	if sc.flips != nil {
		b += sc.flips[i]
	}
	if sc.prior != nil {
		b += sc.prior[i]
	}
	return b
}

// startsNewTime reports whether a new level may begin with run i, because its time differs from that of the run
// before it.
func (sc *scanner) startsNewTime(i int) bool {
	return sc.moment == nil || i == 0 || sc.moment[i] != sc.moment[i-1]
}

// newDay reports whether run i is the first of its day.
func (sc *scanner) newDay(i int) bool {
	return sc.day == nil || i == 0 || sc.day[i] != sc.day[i-1]
}
