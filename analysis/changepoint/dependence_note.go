package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/note"
)

// remark notes noise that is not independent: it is why changes are not named
// that the eye may see.
func (sc *scanner) remark(out *outcome) {
	low, high, ok := sc.levelPair(sc.x[sc.start:])
	if !ok {
		a := sc.lagOne(out.events)
		if phi, se := a.correlation(); phi > 2*se && phi > 0.2 {
			out.notes = append(out.notes, note.New(note.Autocorrelated,
				"a run resembles the one before it (correlation %.2f): slow stretches are not taken for changes, small changes are seen later or not at all", phi))
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
		"runs take turns between two levels, %.4g (%d runs) and %.4g (%d runs): two kinds of nodes or inputs rather than a change",
		math.Exp(low), len(sc.x)-sc.start-slow, math.Exp(high), slow))
}

// A level that takes turns has at least levelFewest runs, and these scatter no more
// than levelWide times as much as those of the other level. Four outliers of 20 runs
// that are off alike were a level in .97 of histories at four runs, now in none; that
// scatter by a tenth of how far they are off, in .34, now in none. Two levels 20 %
// apart of noise 1 % are said in .97 of histories of 20 runs when half of them are at
// each (.995 before), in .74 when three in ten are (.89); of 40 runs in .99 of both.
const (
	levelFewest = 5
	levelWide   = 3
)

// loose says whether the fewer of two groups of runs scatter so much around their
// level that they may as well be outliers of the other.
func loose(a []float64, levelA float64, b []float64, levelB float64) bool {
	few, many := distances(a, levelA, levelA), distances(b, levelB, levelB)
	if len(a) > len(b) {
		few, many = many, few
	}
	return middle(few) > levelWide*max(middle(many), scatter.Least)
}
