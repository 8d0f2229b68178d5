package changepoint

import (
	"math/rand/v2"
	"slices"
)

// final says which nodes are slow when all runs are there; the scan has ended,
// so that the length of a history does not decide on its changes.
func (w *nodeWatch) final(committed []event) {
	end := len(w.x)
	from := max(0, end-nodeRuns)
	w.inquire(from, end, committed)
	w.place(from, end, committed)
	w.slow = w.limping(from, end)
}

// limp is a node with which runs take longer, in logarithms.
type limp struct {
	node   int
	effect float64
	p      float64
}

// limping are the nodes that are believed to be slow by what runs from to end
// say, each with how often random orders of these runs show such a node. Neither
// is enough: the belief takes visits for independent, and orders alone see little
// of a slow node beside another, or after four runs.
func (w *nodeWatch) limping(from, end int) []limp {
	runs, regime := w.pl.runs[from:end], w.regime[from:end]
	rng := rand.New(rand.NewPCG(uint64(end-from), 17))
	left := make([]float64, end-from)
	chance := func(node int, others []limp) float64 {
		for k := range left {
			left[k] = w.off[from+k] - extra(others, runs[k])
		}
		c := newContrast(left, runs, len(w.pl.names), w.p)
		return c.chance(c.scores(c.value)[node], regime, rng, w.p)
	}
	var found []limp
	for _, n := range w.belief.surest(w.p.sure) {
		if p := chance(n, found); p <= w.p.most {
			found = append(found, limp{n, w.belief.effect[n], p})
		}
	}
	for i := range len(found) - 1 { // the last was looked at beside all others
		found[i].p = chance(found[i].node, slices.Concat(found[:i], found[i+1:]))
	}
	return slices.DeleteFunc(found, func(l limp) bool { return l.p > w.p.most })
}

// surest are the nodes that are slow with a chance of at least sure, those with
// the most evidence first and not more than a text names.
func (m *suspects) surest(sure float64) []int {
	var nodes []int
	for n, chance := range m.chance {
		if chance >= sure {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b int) int { return descending(m.nats[a], m.nats[b], a, b) })
	return nodes[:min(len(nodes), mostNamed)]
}
