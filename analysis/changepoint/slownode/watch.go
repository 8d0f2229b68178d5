package slownode

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// Runs is how many runs are looked back on for slow nodes. They are looked
// for after every run at first, after a fiftieth more later.
const Runs = 256

const (
	// firstLook is how many runs are waited for: no history of fewer is judged.
	firstLook = 5
	// mostCells is how many entries of node lists may be looked at per run: jobs of
	// a thousand nodes are looked at every hundred runs in the end. Only lists that
	// have arrived count, or the length of a history would decide on its first
	// changes.
	mostCells = 2048
)

// Watch keeps what is believed of nodes as runs arrive and takes it out
// of their logarithms. What was committed before a node was known stands: the
// changes of a history cut short are those of the whole.
type Watch struct {
	pl     placement
	raw    []float64 // as given
	x      []float64 // adjusted, shared with the scan
	belief *suspects
	slow   []limp // those that are named, at the end
	off    []float64
	regime []int
	parts  []stretch
	buf    []float64
	cells  int // entries of the node lists that are looked back on
	due    int // runs that are waited for before the next look
}

// New watches the nodes of runs raw, of which each has a list of nodes; nil where nodes are not known, or fewer
// than two. The caller may revise raw before a run is learnt.
func New(raw []float64, nodes [][]string) *Watch {
	pl := newPlacement(nodes)
	if len(pl.names) == 0 {
		return nil
	}
	n := len(raw)
	w := &Watch{pl: pl, belief: newSuspects(&pl), due: firstLook,
		raw: raw, x: append([]float64(nil), raw...), off: make([]float64, n), regime: make([]int, n)}
	w.arrive(0)
	return w
}

// X returns the residuals of the learnt runs; all callers share the slice.
func (w *Watch) X() []float64 { return w.x }

// arrive takes note of where run k was.
func (w *Watch) arrive(k int) {
	w.belief.arrive(k)
	w.cells += len(w.pl.runs[k])
	if k >= Runs {
		w.cells -= len(w.pl.runs[k-Runs])
	}
}

// Learn asks the runs up to newest about nodes; starts are the first runs of the
// levels that are committed by then, ascending, as far as Runs are looked back on.
// Up to revised runs before newest may have been given another value since.
func (w *Watch) Learn(newest, revised int, starts []int) {
	w.arrive(newest)
	n := newest + 1
	if n < w.due || w.belief.known < 2 {
		w.adjust(max(0, newest-revised), n)
		return
	}
	w.due = n + max(1+w.cells/mostCells, min(n, Runs)/50)
	w.inquire(max(0, n-Runs), n, starts)
}

// inquire asks runs from to end about nodes and takes out what is believed then.
func (w *Watch) inquire(from, end int, starts []int) {
	w.adjust(from, end)
	w.place(from, end, starts)
	q := w.belief.newInquiry(w.raw, w.x, w.parts, w.regime)
	q.hear()
	w.adjust(from, end)
}

// adjust takes what is believed of nodes out of runs from to end.
func (w *Watch) adjust(from, end int) {
	for k := from; k < end; k++ {
		w.x[k] = w.raw[k] - w.belief.cost(k, noNode)
	}
}

// place says how far runs from to end lie from the level of their regime, by
// what is believed so far.
func (w *Watch) place(from, end int, starts []int) {
	first := from
	w.parts = w.parts[:0]
	part := func(last int) {
		g := stretch{first: first, last: last, level: robust.Median(w.x[first:last])}
		for k := first; k < last; k++ {
			w.off[k], w.regime[k] = w.raw[k]-g.level, len(w.parts)
		}
		w.parts, first = append(w.parts, g), last
	}
	bounds := []int{from}
	for _, k := range starts {
		if k > from {
			bounds = append(bounds, k)
		}
	}
	last := bounds[len(bounds)-1]
	if k := scatter.Pending(w.buf, w.x[last:end]); k > 0 {
		bounds = append(bounds, last+k)
	}
	bounds = append(bounds, end)
	for q := 1; q+1 < len(bounds); q++ {
		if !w.moved(bounds[q-1], bounds[q], bounds[q+1], from, end) {
			part(bounds[q])
		}
	}
	part(end)
}

// moved says whether the runs from before to index and those from there to after are on different nodes, by a
// node that was left and entered more than once between from and end: then the step may be the node's, and does
// not part two levels when nodes are judged. A single move cannot be distinguished from a change.
func (w *Watch) moved(before, index, after, from, end int) bool {
	share := make([]float64, len(w.pl.names))
	count := func(lo, hi int, sign float64) {
		for k := lo; k < hi; k++ {
			for _, n := range w.pl.runs[k] {
				share[n] += sign / float64(hi-lo)
			}
		}
	}
	count(before, index, -1)
	count(index, after, 1)
	for n, d := range share {
		if math.Abs(d) >= .8 && w.belief.moves(n, from, end) >= 2 {
			return true
		}
	}
	return false
}
