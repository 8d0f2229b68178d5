package changepoint

import (
	"math"

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
