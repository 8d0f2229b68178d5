package changepoint

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// split is one way to cut a window in two levels.
type split struct {
	k           int     // runs on the left
	evidence    float64 // nats for two levels rather than one, penalties taken off
	s           float64 // noise
	left, right level
	df          float64 // degrees of freedom of the noise
	open        bool    // the evidence may be less
}

// scanner holds one history and room to work in, so that a scan allocates
// nothing.
type scanner struct {
	history
	p      Params
	start  int    // first run of the regime that is being watched
	past   []past // finished regimes
	sorted []float64
	right  []float64
	near   []float64
	buf    []float64
	cum    []float64
	order  []screened
	splits []split
}

// screened is a split with the nats that its quick two-sample statistic and what
// is known beside the values give it.
type screened struct {
	k    int
	nats float64
}

// The quick look: splits of less than screenZ are not worth a fit, and the
// best screenKeep are. Both are loose: at the threshold of evidence z is 4.5. At 2.5 a
// sixth more time goes into fits, for .001 of F1.
// Recorded fields and other series count here too: a weak change at a flip was
// else never looked at where chance made six other places.
const (
	screenZ    = 3
	screenKeep = 6
)

// screen returns the splits of x = window [i,j) worth a fit, best first: two-sample z
// of values winsorised at six scales.
func (sc *scanner) screen(i, j, least int, s0 float64) []screened {
	n := j - i
	sc.winsorise(sc.x[i:j], s0)
	sc.order = sc.order[:0]
	for k := least; k <= n-minSegment; k++ {
		if !sc.separate(i + k) {
			continue
		}
		l, r := float64(k), float64(n-k)
		z := math.Abs((sc.cum[n]-sc.cum[k])/r-sc.cum[k]/l) * math.Sqrt(l*r/(l+r))
		if nats := z*z/2 + sc.expected(i+k); nats > screenZ*screenZ/2 {
			sc.order = append(sc.order, screened{k, nats})
		}
	}
	slices.SortStableFunc(sc.order, func(a, b screened) int { return cmp.Compare(b.nats, a.nats) })
	return sc.order[:min(screenKeep, len(sc.order))]
}

// winsorise sums runs x in scales of their noise, cut at six, from the first on.
func (sc *scanner) winsorise(x []float64, s0 float64) {
	sc.buf = append(sc.buf[:0], x...)
	med := robust.Middle(sc.buf)
	scale := max(scatter.OfSteps(sc.buf, x), s0/3)
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

// leastLeft is the fewest runs left of a split.
func leastLeft(cut bool) int {
	if cut {
		return leftOfCut
	}
	return minSegment - 1
}

// scan returns the best split of window [i,j) and all that were fitted. cut says that the window does not reach back to
// the start of the regime. Evidence of the best is exact from the threshold on.
func (sc *scanner) scan(i, j int, cut bool, b belief) (split, []split) {
	sc.splits = sc.splits[:0]
	for _, q := range sc.screen(i, j, leastLeft(cut), b.s) {
		if c, ok := sc.weigh(sc.x[i:j], q.k, b); ok {
			c.evidence += sc.expected(i + q.k)
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
		if !best.open || best.evidence < sc.p.Threshold {
			return *best, sc.splits
		}
		sc.complete(sc.x[i:j], best, sc.expected(i+best.k))
	}
}

// assess fits both sides of a split and weighs it against one level. It is not
// ok when a side has too few runs that agree.
func (sc *scanner) assess(i, j, k int, b belief) (split, bool) {
	c, ok := sc.weigh(sc.x[i:j], k, b)
	if ok {
		c.evidence += sc.expected(i + k)
		sc.complete(sc.x[i:j], &c, sc.expected(i+k))
	}
	return c, ok
}

// weigh fits levels to the first k of runs x and to the others, and weighs them
// against one level, on the values alone. The split is open: one level costs the
// least of several descents, and mostly the first shows that two are not worth it.
func (sc *scanner) weigh(x []float64, k int, b belief) (split, bool) {
	n := len(x)
	sc.sorted, sc.right = ranked(sc.sorted, x[:k]), ranked(sc.right, x[k:])
	nl, nr := sc.sorted, sc.right
	df := float64(n - 2)
	m := splitScale(sc.buf, x, k, robust.SortedMiddle(nl), robust.SortedMiddle(nr))
	s := math.Sqrt((b.weight*b.s*b.s + df*m*m) / (b.weight + df))
	floor := sc.recent(x, k, robust.SortedMiddle(nl), robust.SortedMiddle(nr), s)
	l := sc.loss(raise(s, floor))
	left, right := l.fit(x[:k], nl), l.fit(x[k:], nr)
	l = sc.loss(raise(l.noise(x, k, left.mu, right.mu, b), floor))
	left.mu, _ = l.Descend(x[:k], left.mu)
	right.mu, _ = l.Descend(x[k:], right.mu)
	l = sc.loss(raise(l.noise(x, k, left.mu, right.mu, b), floor))
	left, right = l.from(x[:k], left.mu), l.from(x[k:], right.mu)
	if right.weight < float64(minSegment)-0.6 || left.weight < 1.5 {
		return split{}, false
	}
	c := split{k: k, s: l.Scale, left: left, right: right, df: b.weight + df, open: true}
	c.evidence = l.from(x, left.mu).cost - left.cost - right.cost
	return c, true
}

// complete makes the evidence of a split of runs x exact; beside is the part of it
// from outside the values.
func (sc *scanner) complete(x []float64, c *split, beside float64) {
	if !c.open {
		return
	}
	c.open = false
	l := sc.loss(c.s)
	one := min(l.from(x, c.right.mu).cost, l.fit(x, ranked(sc.sorted, x)).cost)
	c.evidence = min(c.evidence, one-c.left.cost-c.right.cost+beside)
}

// refit fits noise and levels of split c of runs x in turns.
func (sc *scanner) refit(x []float64, c split, b belief, rounds int) split {
	l := sc.loss(c.s)
	for range rounds {
		l = sc.loss(max(l.noise(x, c.k, c.left.mu, c.right.mu, b), scatter.Least))
		c.left.mu, _ = l.Descend(x[:c.k], c.left.mu)
		c.right.mu, _ = l.Descend(x[c.k:], c.right.mu)
	}
	c.s = l.Scale
	return c
}

// expected is the evidence at run i from outside the values: a recorded field
// that changed there, or other series.
func (sc *scanner) expected(i int) float64 {
	b := 0.0
	if sc.flips != nil {
		b += sc.flips[i]
	}
	if sc.prior != nil {
		b += sc.prior[i]
	}
	return b
}

// separate reports whether a new level may begin with run i: it has another time
// than the run before it.
func (sc *scanner) separate(i int) bool {
	return sc.moment == nil || i == 0 || sc.moment[i] != sc.moment[i-1]
}

// newDay reports whether run i is the first of its day.
func (sc *scanner) newDay(i int) bool {
	return sc.day == nil || i == 0 || sc.day[i] != sc.day[i-1]
}
