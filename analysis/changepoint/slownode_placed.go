package changepoint

import "jobgait/analysis/note"

// sameChange is how far apart two scans may place one change.
const sameChange = 3

// placed notes what slow nodes explain: shifts that a scan finds only when the
// nodes are left in, and committed changes that are gone once all that is known
// of the nodes is taken out. The latter stay listed, because nothing committed
// is withdrawn.
func (w *nodeWatch) placed(r *ready, in history, out outcome, p Params) []note.Note {
	if len(w.slow) == 0 {
		return nil
	}
	in.learn, in.x = nil, w.raw
	apparent := scan(in, p).events
	in.x = w.without()
	left := scan(in, p).events
	var notes []note.Note
	for _, e := range apparent {
		if !near(out.events, e.index) && !near(left, e.index) {
			notes = append(notes, note.New(note.NodePlacement, "%s %s goes with %s: node placement, not the code",
				shiftText(e), r.since(e.index), w.names()))
		}
	}
	for _, e := range out.events {
		if !near(left, e.index) {
			notes = append(notes, note.New(note.NodePlacement, "%s %s was called a change before %s was known to be slow; without that it is gone: node placement, not the code",
				shiftText(e), r.since(e.index), w.names()))
		}
	}
	return notes
}

// without is the history with the slow nodes that are named taken out.
func (w *nodeWatch) without() []float64 {
	x := make([]float64, len(w.raw))
	for k, v := range w.raw {
		x[k] = v - extra(w.slow, w.pl.runs[k])
	}
	return x
}

// near says whether an event lies at index or close to it.
func near(events []event, index int) bool {
	for _, e := range events {
		if abs(e.index-index) <= sameChange {
			return true
		}
	}
	return false
}

func shiftText(e event) string {
	if e.effect > 0 {
		return "a slower level"
	}
	return "a faster level"
}

// names lists the slow nodes as one.
func (w *nodeWatch) names() string {
	names := make([]string, len(w.slow))
	for i, l := range w.slow {
		names[i] = w.pl.names[l.node]
	}
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "nodes " + list(names)
}
