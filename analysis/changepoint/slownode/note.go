package slownode

import (
	"slices"

	"jobgait/analysis/note"
)

// NodeChange is a change of level: the first run of the new level, and whether that is slower.
type NodeChange struct {
	Index  int
	Slower bool
}

// sameChange is the largest distance, in runs, at which two scans place one change.
const sameChange = 3

// Notes returns a note for each change of level that slow nodes explain: for a change that find reports only in
// the values from which the nodes' delays were not subtracted, and for a committed change that find no longer
// reports once the delays are subtracted. Such a committed change stays listed, because none is withdrawn.
// since formats the time of a run.
func (w *Watch) Notes(committed []NodeChange, find func(x []float64) []NodeChange,
	since func(run int) string) []note.Note {
	if len(w.slow) == 0 {
		return nil
	}
	apparent, left := find(w.raw), find(w.withoutSlowNodes())
	var notes []note.Note
	for _, e := range apparent {
		if !hasChangeNear(committed, e.Index) && !hasChangeNear(left, e.Index) {
			notes = append(notes, note.New(note.NodePlacement, "%s %s is explained by %s "+
				"and not reported as a change: node placement, not the code", e.text(), since(e.Index), w.names()))
		}
	}
	for _, e := range committed {
		if !hasChangeNear(left, e.Index) {
			notes = append(notes, note.New(note.NodePlacement,
				"%s %s is no longer a change, because %s turned out to be slow: node placement, not the code; it stays in the "+
					"list of changes",
				e.text(), since(e.Index), w.names()))
		}
	}
	return notes
}

// withoutSlowNodes returns the history with the delays of the named slow nodes subtracted.
func (w *Watch) withoutSlowNodes() []float64 {
	x := make([]float64, len(w.raw))
	for k, v := range w.raw {
		x[k] = v - slowestDelay(w.slow, w.pl.runs[k])
	}
	return x
}

// hasChangeNear reports whether a change lies within sameChange runs of index.
func hasChangeNear(changes []NodeChange, index int) bool {
	return slices.ContainsFunc(changes, func(c NodeChange) bool {
		return max(c.Index-index, index-c.Index) <= sameChange
	})
}

// text returns "a slower level" or "a faster level".
func (c NodeChange) text() string {
	if c.Slower {
		return "a slower level"
	}
	return "a faster level"
}
