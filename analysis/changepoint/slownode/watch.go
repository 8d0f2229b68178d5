package slownode

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// Runs is the number of newest runs from which slow nodes are estimated: after every run at first, later each
// time their number has grown by a fiftieth.
const Runs = 256

const (
	// firstLook is the number of runs before the first estimate.
	firstLook = 5
	// mostCells limits the entries of node lists that are processed per run: with jobs of a thousand nodes,
	// estimates are a hundred runs apart in the end. Only lists that have arrived count, or the length of a
	// history would decide on its first changes.
	mostCells = 2048
)

// Watch estimates the effects of nodes as runs arrive and subtracts them from the logarithms. What was
// committed before a node was known stands: the changes of a history cut short are those of the whole.
type Watch struct {
	pl       placement
	raw      []float64 // as given
	x        []float64 // adjusted, shared with the scan
	suspects *suspects
	slow     []slowNode // those that are named, at the end
	off      []float64
	regime   []int
	parts    []stretch
	buf      []float64
	cells    int // entries of the node lists that are looked back on
	due      int // number of runs from which on the next estimate is made
}

// New watches the nodes of runs raw, of which each has a list of nodes; nil where nodes are not known, or fewer
// than two. The caller may revise raw before a run is learnt.
func New(raw []float64, nodes [][]string) *Watch {
	pl := newPlacement(nodes)
	if len(pl.names) == 0 {
		return nil
	}
	n := len(raw)
	w := &Watch{pl: pl, suspects: newSuspects(&pl), due: firstLook,
		raw: raw, x: append([]float64(nil), raw...), off: make([]float64, n), regime: make([]int, n)}
	w.arrive(0)
	return w
}

// X returns the residuals of the learnt runs; all callers share the slice.
func (w *Watch) X() []float64 { return w.x }

// arrive records the nodes of run k, and counts the entries of the node lists of the newest Runs runs.
func (w *Watch) arrive(k int) {
	w.suspects.arrive(k)
	w.cells += len(w.pl.runs[k])
	if k >= Runs {
		w.cells -= len(w.pl.runs[k-Runs])
	}
}

// Learn updates the estimates of nodes with the runs up to newest, at intervals; in between it subtracts the delays
// estimated so far. starts lists the first runs of the committed levels, ascending, among the newest Runs. The values
// of up to revised runs before newest may have changed since the last call.
func (w *Watch) Learn(newest, revised int, starts []int) {
	w.arrive(newest)
	n := newest + 1
	if n < w.due || w.suspects.known < 2 {
		w.adjust(max(0, newest-revised), n)
		return
	}
	w.due = n + max(1+w.cells/mostCells, min(n, Runs)/50)
	w.estimateNodes(max(0, n-Runs), n, starts)
}

// estimateNodes estimates the effects of nodes from the runs [from,end) and subtracts them.
func (w *Watch) estimateNodes(from, end int, starts []int) {
	w.adjust(from, end)
	w.setRegimes(from, end, starts)
	q := w.suspects.newEstimation(w.raw, w.x, w.parts, w.regime)
	q.estimateAll()
	w.adjust(from, end)
}

// adjust subtracts the expected delays of suspected nodes from the runs [from,end).
func (w *Watch) adjust(from, end int) {
	for k := from; k < end; k++ {
		w.x[k] = w.raw[k] - w.suspects.expectedDelay(k, noNode)
	}
}

// setRegimes divides the runs [from,end) into regimes and sets the distance of each run from the median of its regime.
// Regimes begin at starts and, after the last of them, at one more step if it is probable, but not at steps that the
// move from one node to another may explain (movedNodes).
func (w *Watch) setRegimes(from, end int, starts []int) {
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
	if k := scatter.RunsBeforeStep(w.buf, w.x[last:end]); k > 0 {
		bounds = append(bounds, last+k)
	}
	bounds = append(bounds, end)
	for q := 1; q+1 < len(bounds); q++ {
		if !w.movedNodes(bounds[q-1], bounds[q], bounds[q+1], from, end) {
			part(bounds[q])
		}
	}
	part(end)
}

// movedNodes reports whether the runs [before,index) and [index,after) are on different nodes, by a node that
// was left and entered more than once between from and end: then the step may be due to the node, and does not
// separate two levels in the estimate of nodes. A single move cannot be distinguished from a change.
func (w *Watch) movedNodes(before, index, after, from, end int) bool {
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
		if math.Abs(d) >= .8 && w.suspects.countMoves(n, from, end) >= 2 {
			return true
		}
	}
	return false
}
