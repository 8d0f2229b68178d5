package slownode

import (
	"slices"

	"jobgait/analysis/note"
)

// NodeChange is a change of level: the first run of the new one, and whether that is
// slower.
type NodeChange struct {
	Index  int
	Slower bool
}

// sameChange is how far apart two scans may place one change.
const sameChange = 3

// Notes says what slow nodes explain: shifts that find shows only when the nodes are
// left in, and committed changes that are gone once all that is known
// of the nodes is taken out; since words the time of a run. The latter stay listed, because nothing committed
// is withdrawn.
func (w *Watch) Notes(committed []NodeChange, find func(x []float64) []NodeChange,
	since func(run int) string) []note.Note {
	if len(w.slow) == 0 {
		return nil
	}
	apparent, left := find(w.raw), find(w.without())
	var notes []note.Note
	for _, e := range apparent {
		if !near(committed, e.Index) && !near(left, e.Index) {
			notes = append(notes, note.New(note.NodePlacement, "%s %s goes with %s: node placement, not the code",
				e.text(), since(e.Index), w.names()))
		}
	}
	for _, e := range committed {
		if !near(left, e.Index) {
			notes = append(notes, note.New(note.NodePlacement,
				"%s %s was called a change before %s was known to be slow; without that it is gone: node placement, not the code",
				e.text(), since(e.Index), w.names()))
		}
	}
	return notes
}

// without is the history with the slow nodes that are named taken out.
func (w *Watch) without() []float64 {
	x := make([]float64, len(w.raw))
	for k, v := range w.raw {
		x[k] = v - slowest(w.slow, w.pl.runs[k])
	}
	return x
}

// near says whether a change lies at index or close to it.
func near(changes []NodeChange, index int) bool {
	return slices.ContainsFunc(changes, func(c NodeChange) bool {
		return max(c.Index-index, index-c.Index) <= sameChange
	})
}

func (c NodeChange) text() string {
	if c.Slower {
		return "a slower level"
	}
	return "a faster level"
}
