package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
)

// minLevelGap is the least distance of two levels, as a multiple of the noise, to count as two: the halves of
// one slow wave have 2.7.
const minLevelGap = 3.5

// levelPair returns two levels between which runs x alternate, if that describes them better than one level
// with wider noise: it requires levelFewest runs at each, two alternations, ten nats, and a gap between the
// levels of minLevelGap times the noise. Without ok the levels are not meaningful.
func (sc *scanner) levelPair(x []float64) (low, high float64, ok bool) {
	n := len(x)
	if n < 12 {
		return 0, 0, false
	}
	sorted := ascending(nil, x)
	k := bestCut(sorted)
	if min(k, n-k) < levelFewest {
		return 0, 0, false
	}
	low, high = robust.SortedMedian(sorted[:k]), robust.SortedMedian(sorted[k:])
	if scattersMore(sorted[:k], low, sorted[k:], high) {
		return 0, 0, false
	}
	one := math.Max(robust.SD*robust.SortedMedian(distances(x, robust.SortedMedian(sorted), robust.SortedMedian(sorted))),
		scatter.LeastNoise)
	two := math.Max(robust.SD*robust.SortedMedian(distances(x, low, high)), scatter.LeastNoise)
	l1, l2 := sc.loss(one), sc.loss(two)
	flat := float64(n)*math.Log(one) + l1.fitLevel(x, sorted).cost
	paired := float64(n)*math.Log(two) + sc.bestChainLoss(x, low, high, &l2, math.Inf(-1))
	turns, last := 0, 0.0
	for _, v := range x {
		if side := v - (low+high)/2; side*last < 0 {
			turns++
		}
		last = v - (low+high)/2
	}
	return low, high, turns >= 2 && flat-paired > 10 && high-low > minLevelGap*two
}

// bestCut returns the index at which ascending numbers are best divided in two groups: the least sum of
// squares around their means; 0 if all are equal.
func bestCut(sorted []float64) int {
	n := len(sorted)
	all := 0.0
	for _, v := range sorted {
		all += v
	}
	best, at, sum := 0.0, 0, 0.0
	for k := 1; k < n; k++ {
		sum += sorted[k-1]
		a, b := sum/float64(k), (all-sum)/float64(n-k)
		if d := float64(k) * float64(n-k) * sq(b-a); d > best {
			best, at = d, k
		}
	}
	return at
}

// distances returns the distances of x from the nearer of two levels, ascending.
func distances(x []float64, a, b float64) []float64 {
	d := make([]float64, len(x))
	for i, v := range x {
		d[i] = math.Min(math.Abs(v-a), math.Abs(v-b))
	}
	return ascending(d, d)
}

// Two alternating levels are reported only if each has at least levelFewest runs, and if the runs of the smaller one
// scatter at most levelWide times as much as those of the other. Four outliers among 20 runs that are off alike, or
// that scatter by a tenth of their distance, are then not reported as a level. Two levels 20 % apart with noise of 1 %
// are found in .97 of histories of 20 runs if half of the runs are at each, in .74 if three in ten are, and in .99 of
// histories of 40 runs.
const (
	levelFewest = 5
	levelWide   = 3
)

// scattersMore reports whether the smaller of two groups of runs scatters so much around its level that its
// runs may be outliers of the other group.
func scattersMore(a []float64, levelA float64, b []float64, levelB float64) bool {
	few, many := distances(a, levelA, levelA), distances(b, levelB, levelB)
	if len(a) > len(b) {
		few, many = many, few
	}
	return robust.SortedMedian(few) > levelWide*max(robust.SortedMedian(many), scatter.LeastNoise)
}

// noteDependence adds a note if the noise of the newest regime alternates between two levels, and sets out.levels to
// these; else if the noise is correlated. In both cases visible changes may not be reported.
func (sc *scanner) noteDependence(out *outcome) {
	low, high, ok := sc.levelPair(sc.x[sc.start:])
	if !ok {
		a := sc.lagOne(out.events)
		if phi, se := a.correlation(); phi > 2*se && phi > 0.2 {
			out.notes = append(out.notes, note.New(note.Autocorrelated,
				"the value of a run resembles that of the run before it (correlation %.2f): stretches of slow runs are "+
					"not reported as changes, and small changes are found later or not at all", phi))
		}
		return
	}
	slow := 0
	for _, v := range sc.x[sc.start:] {
		if v > (low+high)/2 {
			slow++
		}
	}
	out.levels = &[2]float64{low, high}
	out.notes = append(out.notes, note.New(note.TwoLevels,
		"the values of runs alternate between two levels, %.4g (%d runs) and %.4g (%d runs), probably of two kinds of "+
			"nodes or inputs: these alternations are not reported as changes",
		math.Exp(low), len(sc.x)-sc.start-slow, math.Exp(high), slow))
}

// takesTurns reports whether runs x alternate between two levels.
func takesTurns(x []float64, p Params) bool {
	sc := scanner{history: history{x: x}, p: p}
	_, _, ok := sc.levelPair(x)
	return ok
}
