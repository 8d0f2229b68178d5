package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// Evidence required before a change of scatter is reported.
const (
	// spreadRuns is the least number of runs of one spread: with eight it is known to within a factor of 1.6.
	spreadRuns = 8
	// maxSpreadRuns is the number of newest runs that are tested.
	maxSpreadRuns = 480
	// spreadScore is what the largest of all splits must reach, in standard
	// errors of a sum of scores.
	spreadScore = 3.0
	// spreadSteps is what the steps from run to run must reach at that split.
	spreadSteps = 2
	// spreadLeast is the smallest factor that is reported.
	spreadLeast = 1.3
	// spreadTop is the share of ranks above which all count the same, so that the size of outliers does not
	// matter.
	spreadTop = 0.85
)

// Spread is the newest change of how much runs scatter around their level, in
// log units.
type Spread struct {
	First         int // first run of the new spread
	Before, After float64
	Ratio, Lo, Hi float64 // After/Before and its 95 % interval
}

// spreadOf tests whether the distances of the runs from their levels changed size, and returns the newest such
// change; false if none exists. The test is one of ranks: runs that are far out count no more than others of
// the largest 15 %, so that any shape of noise and a constant rate of outliers pass as one spread.
//
// Of 20,000 runs of each kind of noise that stays, 0 to .10 notes per 1000 runs are
// false, .35 where single runs stray far (t3; table spread, seed 301). Of
// histories of 60 to 150 runs whose noise changes by a factor of 1.5, 2, 2.5 and 3.3 it is found in .23, .75, .93 and
// .99, with 2 to 10 % of outliers in .17, .56, .78 and .87; the place is 1 to 7 runs off in half of them. The interval
// holds the factor in .67 to .89 at 1.5, else in .88 to .98.
func (sc *scanner) spreadOf(ev []event) (Spread, bool) {
	far := sc.residuals(ev)
	far = far[max(0, len(far)-maxSpreadRuns):]
	var found Spread
	ok := false
	for {
		k := spreadSplit(far)
		if k == 0 {
			return found, ok
		}
		s, said := sc.measureSpread(far, k)
		if said {
			found, ok = s, true
		}
		far = far[k:] // the newest change is the one that matters
	}
}

// DetectSpread returns the newest change of spread in the logarithms x of one history, without corrections, for
// simulations and calibration; false if none exists.
func DetectSpread(x []float64, day []int, p Params) (Spread, bool) {
	sc := scanner{history: history{x: x}, p: p}
	return sc.spreadOf(scan(history{x: x, day: day}, p).events)
}

// spreadSplit returns the index at which the sizes of residuals differ most, 0 if the difference is not
// significant.
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
	d, k := residualSteps(far, at)
	if w := sizeContrast(spreadScores(d), k); w*z < 0 || math.Abs(w) < spreadSteps {
		return 0
	}
	return at
}

// measureSpread measures the spread on the two sides of split k. It returns false for factors below spreadLeast, for
// values with so little scatter that the resolution of a clock explains it, and if the interval of the factor includes
// 1 or excludes the factor.
func (sc *scanner) measureSpread(far []residual, k int) (Spread, bool) {
	before, varBefore := sc.residualScale(far[:k])
	after, varAfter := sc.residualScale(far[k:])
	ratio := after / before
	if min(before, after) <= scatter.LeastNoise || max(ratio, 1/ratio) < spreadLeast {
		return Spread{}, false
	}
	se := math.Sqrt(varBefore + varAfter)
	z := math.Log(ratio) / se
	// The spread was selected because it is large.
	sel := selection{bar: scoreShare * spreadScore, share: 1}
	found := Spread{First: far[k].i, Before: before, After: after, Ratio: ratio}
	found.Lo, found.Hi = math.Exp(sel.trueRatio(z, 0.975)*se), math.Exp(sel.trueRatio(z, 0.025)*se)
	if z < 0 {
		found.Lo, found.Hi = math.Exp(-sel.trueRatio(-z, 0.025)*se), math.Exp(-sel.trueRatio(-z, 0.975)*se)
	}
	// The test uses ranks and the factor does not: if the interval, which accounts for the selection, contains 1
	// or excludes the factor, the two disagree.
	return found, found.Lo > 1 && found.Lo <= ratio || found.Hi < 1 && ratio <= found.Hi
}

// noteSpread adds a note since when runs scatter more or less. If the change of scatter explains why the newest
// runs looked like two levels, it removes the note about these.
func (r *preparedSeries) noteSpread(notes []note.Note, l *seriesScan, p Params) []note.Note {
	x, ev := l.known.x, l.out.events
	sc := scanner{history: history{x: x}, p: p}
	s, ok := sc.spreadOf(ev)
	if !ok {
		return notes
	}
	start := 0
	if len(ev) > 0 {
		start = ev[len(ev)-1].resumed
	}
	if s.First > start && !takesTurns(x[start:s.First], p) && !takesTurns(x[s.First:], p) {
		notes = slices.DeleteFunc(notes, func(n note.Note) bool { return n.Code == note.TwoLevels })
	}
	return append(notes, note.New(note.SpreadChanged,
		"since about %s the values of runs scatter %.2g times as much (%s instead of %s; 95 %% interval of the factor "+
			"%.2g to %.2g)", r.momentText(s.First), s.Ratio, quantity.Percent(quantity.PercentOfLogs(s.After)),
		quantity.Percent(quantity.PercentOfLogs(s.Before)), s.Lo, s.Hi))
}
