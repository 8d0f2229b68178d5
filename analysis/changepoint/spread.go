package changepoint

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/changepoint/scatter"
)

// What is asked before a history is said to scatter otherwise than before.
const (
	// spreadRuns is the fewest runs of one spread: eight tell it to within a
	// factor of 1.6.
	spreadRuns = 8
	// spreadLooked is how many of the newest runs are looked at.
	spreadLooked = 480
	// spreadScore is what the largest of all splits must reach, in standard
	// errors of a sum of scores.
	spreadScore = 3.0
	// spreadSteps is what the steps from run to run must reach at that split.
	spreadSteps = 2
	// spreadLeast is the smallest factor that is said.
	spreadLeast = 1.3
	// spreadTop is the share of ranks beyond which all count alike: what outliers
	// are there decides nothing.
	spreadTop = 0.85
)

// Spread is the newest change of how much runs scatter around their level, in
// log units.
type Spread struct {
	First         int // first run of the new spread
	Before, After float64
	Ratio, Lo, Hi float64 // After/Before and its 95 % interval
}

// residual is how far run i is from its level.
type residual struct {
	i int
	r float64
}

// spreadOf tests whether the distances of runs x from the levels that were found
// changed size. The test is one of ranks: runs that are far out count no more
// than others of the largest 15 %, so that any shape of noise and a constant
// rate of outliers pass as one spread.
//
// Of 20,000 runs of each kind of noise that stays, 0 to .10 notes per 1000 runs are
// false, .35 where single runs stray far (t3; calibrate -spread -seed 301). Of
// histories of 60 to 150 runs whose noise changes by 1.5, 2, 2.5 and 3.3 it is said
// of .23, .75, .93 and .99, with 2 to 10 % of outliers of .17, .56, .78 and .87; the
// place is 1 to 7 runs off in half of them. The interval holds the factor in .67 to
// .89 at 1.5, else in .88 to .98.
func (sc *scanner) spreadOf(ev []event) (Spread, bool) {
	far := sc.residuals(ev)
	far = far[max(0, len(far)-spreadLooked):]
	var found Spread
	ok := false
	for {
		k := spreadSplit(far)
		if k == 0 {
			return found, ok
		}
		s, said := sc.newSpread(far, k)
		if said {
			found, ok = s, true
		}
		far = far[k:] // the newest change is the one that matters
	}
}

// residuals are the distances of the runs from their levels, those of drifts
// left out. A level is fitted to its own runs: distances from it are made as
// large as from the true one.
func (sc *scanner) residuals(ev []event) []residual {
	var far []residual
	from := 0
	for q := 0; q <= len(ev); q++ {
		end := len(sc.x)
		if q < len(ev) {
			end = ev[q].index
		}
		if end-from >= minSegment {
			far = sc.distancesFrom(far, from, end)
		}
		if q < len(ev) {
			from = ev[q].resumed
		}
	}
	return far
}

// distancesFrom appends the residuals of runs [from,end), which have one level
// or take turns between two.
func (sc *scanner) distancesFrom(far []residual, from, end int) []residual {
	st := sc.stay(from, end)
	l := sc.loss(st.s)
	low, high, two := sc.levelPair(sc.x[from:end])
	for i := from; i < end; i++ {
		r := sc.x[i] - st.mu
		if two {
			r = sc.x[i] - low
			if d := sc.x[i] - high; math.Abs(d) < math.Abs(r) {
				r = d
			}
		} else if w := l.Weight(r); w < st.weight {
			r /= math.Sqrt(max(1-w/st.weight, 0.2))
		}
		far = append(far, residual{i, r})
	}
	return far
}

// spreadSplit returns where the sizes of residuals differ most, 0 if they do not
// differ by more than chance would have it.
func spreadSplit(far []residual) int {
	n := len(far)
	if n < 2*spreadRuns {
		return 0
	}
	a := spreadScores(far)
	best, at, sum := 0.0, 0, 0.0
	for k := 1; k <= n-spreadRuns; k++ {
		sum += a[k-1]
		if t := sum * sum / (float64(k) * float64(n-k)); k >= spreadRuns && t > best {
			best, at = t, k
		}
	}
	z := sizeContrast(a, at)
	if math.Abs(z) < spreadScore {
		return 0
	}
	d, k := jumps(far, at)
	if w := sizeContrast(spreadScores(d), k); w*z < 0 || math.Abs(w) < spreadSteps {
		return 0
	}
	return at
}

// sizeContrast is by how many standard errors the scores before k are smaller than
// those from k on.
func sizeContrast(a []float64, k int) float64 {
	n := len(a)
	sum, square := 0.0, 0.0
	for i, v := range a {
		square += v * v
		if i >= k {
			sum += v
		}
	}
	if square == 0 {
		return 0
	}
	return sum / math.Sqrt(square/float64(n-1)*streaks(a, k)*float64(k)*float64(n-k)/float64(n))
}

// jumps are the differences from each residual to the next, and where among them those
// from residual k on begin. A level that moves unseen makes residuals large, and
// hardly the steps between them.
func jumps(far []residual, k int) (d []residual, at int) {
	for i := 1; i < len(far); i++ {
		if i == k {
			at = len(d)
			continue
		}
		if far[i].i == far[i-1].i+1 {
			d = append(d, residual{far[i].i, far[i].r - far[i-1].r})
		}
	}
	return d, at
}

// spreadScores gives every residual the square that a normal of its rank in size
// would have (Klotz's scores), with the sum 0.
func spreadScores(far []residual) []float64 {
	n := len(far)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	size := func(i int) float64 { return math.Abs(far[i].r) }
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case size(a) < size(b):
			return -1
		case size(a) > size(b):
			return 1
		}
		return a - b
	})
	a := make([]float64, n)
	mean := 0.0
	for from := 0; from < n; {
		end := from + 1
		for end < n && size(order[end]) == size(order[from]) {
			end++
		}
		u := min(float64(from+end+1)/2/float64(n+1), spreadTop)
		score := sq(distuv.UnitNormal.Quantile((1 + u) / 2))
		for _, i := range order[from:end] {
			a[i] = score
			mean += score / float64(n)
		}
		from = end
	}
	for i := range a {
		a[i] -= mean
	}
	return a
}

// streaks is by how much the variance of a sum of scores is larger than that of
// independent ones, because large residuals follow large ones: by their lag-1
// correlation on the two sides of split k.
func streaks(a []float64, k int) float64 {
	product, square := 0.0, 0.0
	for _, side := range [][]float64{a[:k], a[k:]} {
		mean := 0.0
		for _, v := range side {
			mean += v / float64(len(side))
		}
		for i, v := range side {
			square += sq(v - mean)
			if i > 0 {
				product += (v - mean) * (side[i-1] - mean)
			}
		}
	}
	if square == 0 {
		return 1
	}
	phi := max(0, min(0.8, product/square))
	return (1 + phi) / (1 - phi)
}

// newSpread measures the spread on the two sides of split k. It is not said of
// factors that are too small, nor of values as even as a clock that counts seconds
// makes them.
func (sc *scanner) newSpread(far []residual, k int) (Spread, bool) {
	before, varBefore := sc.scaleOf(far[:k])
	after, varAfter := sc.scaleOf(far[k:])
	ratio := after / before
	if min(before, after) <= scatter.Least || max(ratio, 1/ratio) < spreadLeast {
		return Spread{}, false
	}
	se := math.Sqrt(varBefore + varAfter)
	z := math.Log(ratio) / se
	// It is looked at because it is large.
	sel := selection{bar: selected * spreadScore, share: 1}
	found := Spread{First: far[k].i, Before: before, After: after, Ratio: ratio}
	found.Lo, found.Hi = math.Exp(sel.solve(z, 0.975)*se), math.Exp(sel.solve(z, 0.025)*se)
	if z < 0 {
		found.Lo, found.Hi = math.Exp(-sel.solve(-z, 0.025)*se), math.Exp(-sel.solve(-z, 0.975)*se)
	}
	// The test is one of ranks and the factor is not: where an interval that knows
	// of the choice holds 1, or leaves the factor out, the two do not agree.
	return found, found.Lo > 1 && found.Lo <= ratio || found.Hi < 1 && ratio <= found.Hi
}

// scaleOf is the standard deviation of residuals without the outliers among
// them, and the variance of its logarithm.
func (sc *scanner) scaleOf(far []residual) (s, variance float64) {
	d := make([]float64, len(far))
	for i, v := range far {
		d[i] = math.Abs(v.r)
	}
	s = max(1.4826*middle(ascending(nil, d)), scatter.Least)
	for range 10 {
		l := sc.loss(s)
		ss, sw, fourth := 0.0, 0.0, 0.0
		for _, v := range far {
			w := l.Weight(v.r)
			ss += w * sq(v.r)
			sw += w
			fourth += w * sq(sq(v.r))
		}
		s = max(math.Sqrt(ss/max(sw, 1)), scatter.Least)
		variance = max(fourth/max(sw, 1)/sq(sq(s))-1, 1) / (4 * max(sw, 1))
	}
	return s, variance
}
