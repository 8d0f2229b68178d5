package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/changepoint/machine"
	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// nodeWatch keeps what is believed of nodes as runs arrive and takes it out
// of the logarithms. What was committed before a node was known stands: the
// changes of a history cut short are those of the whole.
type nodeWatch struct {
	pl     placement
	p      nodeParams
	raw    []float64 // as measured
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

// nodeRuns is how many runs are looked back on for slow nodes. They are looked
// for after every run at first, after a fiftieth more later.
const nodeRuns = 256

// nodeCells is how many entries of node lists may be looked at per run: jobs of
// a thousand nodes are looked at every hundred runs in the end (BenchmarkManyNodes).
// Only lists that have arrived count, or the length of a history would decide on
// its first changes.
const nodeCells = 2048

// newNodeWatch adjusts a copy of raw, the logarithms without the machine's
// shifts; nil where no nodes are known.
func newNodeWatch(r *ready, raw []float64) *nodeWatch {
	pl := newPlacement(r)
	if len(pl.names) == 0 {
		return nil
	}
	n := len(raw)
	w := &nodeWatch{pl: pl, p: defaultNodes(), belief: newSuspects(&pl), due: fewestRuns,
		raw: raw, x: append([]float64(nil), raw...), off: make([]float64, n), regime: make([]int, n)}
	w.arrive(0)
	return w
}

// arrive takes note of where run k was.
func (w *nodeWatch) arrive(k int) {
	w.belief.arrive(k)
	w.cells += len(w.pl.runs[k])
	if k >= nodeRuns {
		w.cells -= len(w.pl.runs[k-nodeRuns])
	}
}

// learn asks the runs up to newest about nodes.
func (w *nodeWatch) learn(newest int, committed []event) {
	w.arrive(newest)
	n := newest + 1
	if n < w.due || w.belief.known < 2 {
		w.adjust(max(0, newest-machine.RevisedRuns), n)
		return
	}
	w.due = n + max(1+w.cells/nodeCells, min(n, nodeRuns)/50)
	w.inquire(max(0, n-nodeRuns), n, committed)
}

// inquire asks runs from to end about nodes and takes out what is believed then.
func (w *nodeWatch) inquire(from, end int, committed []event) {
	w.adjust(from, end)
	w.place(from, end, committed)
	q := w.belief.newInquiry(w.raw, w.x, w.parts, w.regime)
	q.hear()
	w.adjust(from, end)
}

// adjust takes what is believed of nodes out of runs from to end.
func (w *nodeWatch) adjust(from, end int) {
	for k := from; k < end; k++ {
		w.x[k] = w.raw[k] - w.belief.extra(k, nobody)
	}
}

// place says how far runs from to end lie from the level of their regime, by
// what is believed so far.
func (w *nodeWatch) place(from, end int, committed []event) {
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
	for _, e := range committed {
		if e.index > from {
			bounds = append(bounds, e.index)
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

// moved says whether the runs from before to index and those from there to
// after are on different nodes, by a node that was left and entered more than
// once between from and end: then the step may be the node's, and does not part
// two levels when nodes are judged. One move alone cannot be told from a change.
func (w *nodeWatch) moved(before, index, after, from, end int) bool {
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
		if math.Abs(d) >= .8 && w.moves(n, from, end) >= 2 {
			return true
		}
	}
	return false
}

// moves is how often a node was entered or left.
func (w *nodeWatch) moves(node, from, end int) int {
	n := 0
	for k := from + 1; k < end; k++ {
		if slices.Contains(w.pl.runs[k], node) != slices.Contains(w.pl.runs[k-1], node) {
			n++
		}
	}
	return n
}
