package changepoint

import (
	"slices"

	"jobgait/analysis/note"
)

// spread notes since when runs scatter otherwise. Where that is why the newest
// runs looked like two levels, the note of these is taken back: wide runs after
// narrow ones lie above and below them.
func (r *ready) spread(notes []note.Note, l *look, p Params) []note.Note {
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
		"since about %s runs scatter %.2g times as much (%.2g to %.2g %%; 95 %% interval of the factor %.2g to %.2g)",
		r.moment(s.First), s.Ratio, percent(s.Before), percent(s.After), s.Lo, s.Hi))
}

// takesTurns says whether runs take turns between two levels.
func takesTurns(x []float64, p Params) bool {
	sc := scanner{history: history{x: x}, p: p}
	_, _, ok := sc.levelPair(x)
	return ok
}
