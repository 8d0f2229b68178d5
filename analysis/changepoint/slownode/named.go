package slownode

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"jobgait/analysis/quantity"
)

// NamedNode is a node with which runs take longer. P is how often random orders of the
// runs show such a node.
type NamedNode struct {
	Node      string  `json:"node"`
	EffectPct float64 `json:"effect_pct"`
	P         float64 `json:"p"`
}

// sure is how likely it must be that a node is slow, by what is believed of it, for
// it to be named. Of 24 nodes with one to three slow ones, 1000 histories with seeds
// that were not used to choose this, .991 of the nodes called slow are, and .895 of
// the slow ones are called so, in the worst hundred histories .983 and .843. At .9
// precision is .004 more and recall .02 less, at .5 .007 less and .01 more. Effects
// are 1.7 % too large on average, half of them within 5.6 %.
const sure = .75

// mostNamed is how many nodes a text names.
const mostNamed = 6

// Judge returns the nodes that are slow by all runs, slowest first. The scan has
// ended, so that the length of a history does not decide on its changes, of which
// starts are the first runs.
func (w *Watch) Judge(starts []int) []NamedNode {
	end := len(w.x)
	from := max(0, end-Runs)
	w.inquire(from, end, starts)
	w.place(from, end, starts)
	w.slow = w.limping(from, end)
	list := make([]NamedNode, 0, len(w.slow))
	for _, l := range w.slow {
		list = append(list, NamedNode{Node: w.pl.names[l.node], EffectPct: quantity.OfLogs(l.effect), P: l.p})
	}
	slices.SortStableFunc(list, func(a, b NamedNode) int { return cmp.Compare(b.EffectPct, a.EffectPct) })
	return list
}

// TakeOut takes what else is known, the days of the week, out of the runs with and
// without what is believed of nodes, once all are judged.
func (w *Watch) TakeOut(take func(x []float64)) {
	take(w.raw)
	take(w.x)
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
func (w *Watch) limping(from, end int) []limp {
	runs, regime := w.pl.runs[from:end], w.regime[from:end]
	rng := rand.New(rand.NewPCG(uint64(end-from), 17))
	left := make([]float64, end-from)
	chance := func(node int, others []limp) float64 {
		for k := range left {
			left[k] = w.off[from+k] - slowest(others, runs[k])
		}
		c := newContrast(left, runs, len(w.pl.names))
		return c.chance(c.scores(c.value)[node], regime, rng)
	}
	var found []limp
	for _, n := range w.belief.surest() {
		if p := chance(n, found); p <= mostOrders {
			found = append(found, limp{n, w.belief.effect[n], p})
		}
	}
	for i := range len(found) - 1 { // the last was looked at beside all others
		found[i].p = chance(found[i].node, slices.Concat(found[:i], found[i+1:]))
	}
	return slices.DeleteFunc(found, func(l limp) bool { return l.p > mostOrders })
}

// surest are the nodes that are slow with a chance of at least sure, those with
// the most evidence first and not more than a text names.
func (m *suspects) surest() []int {
	var nodes []int
	for n, chance := range m.chance {
		if chance >= sure {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b int) int { return descending(m.nats[a], m.nats[b], a, b) })
	return nodes[:min(len(nodes), mostNamed)]
}

// slowest is the time that slow nodes cost a run: that of the slowest of them.
func slowest(slow []limp, nodes []int) float64 {
	most := 0.0
	for _, l := range slow {
		if slices.Contains(nodes, l.node) {
			most = math.Max(most, l.effect)
		}
	}
	return most
}

// names lists the slow nodes as one.
func (w *Watch) names() string {
	names := make([]string, len(w.slow))
	for i, l := range w.slow {
		names[i] = w.pl.names[l.node]
	}
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "nodes " + list(names)
}

// list writes names as one, the rest as a number.
func list(names []string) string {
	if len(names) > mostNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), len(names)-mostNamed)
	}
	return strings.Join(names, ", ")
}
