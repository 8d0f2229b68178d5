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

// NamedNode is a node on which runs take longer, by EffectPct percent. P is the share of random orders of the
// runs that show such a node.
type NamedNode struct {
	Node      string  `json:"node"`
	EffectPct float64 `json:"effect_pct"`
	P         float64 `json:"p"`
}

// minSlowChance is the least estimated probability of being slow at which a node is named. Of 24 nodes with one
// to three slow ones, 1000 histories with seeds that were not used to choose this, .991 of the nodes called
// slow are, and .895 of the slow ones are called so, in the worst hundred histories .983 and .843. At .9
// precision is .004 more and recall .02 less, at .5 .007 less and .01 more. Effects are 1.7 % too large on
// average, half of them within 5.6 %.
const minSlowChance = .75

// mostNamed is the most nodes that a text names.
const mostNamed = 6

// SlowNodes returns the nodes that are slow by all runs, slowest first. It is called after the scan, so that it
// does not affect the changes, whose first runs are starts.
func (w *Watch) SlowNodes(starts []int) []NamedNode {
	end := len(w.x)
	from := max(0, end-Runs)
	w.estimateNodes(from, end, starts)
	w.setRegimes(from, end, starts)
	w.slow = w.confirmSlowNodes(from, end)
	list := make([]NamedNode, 0, len(w.slow))
	for _, l := range w.slow {
		list = append(list, NamedNode{Node: w.pl.names[l.node], EffectPct: quantity.PercentOfLogs(l.effect), P: l.p})
	}
	slices.SortStableFunc(list, func(a, b NamedNode) int { return cmp.Compare(b.EffectPct, a.EffectPct) })
	return list
}

// Apply applies a correction, such as that for weekdays, to the runs with and without the effects of nodes,
// after SlowNodes.
func (w *Watch) Apply(take func(x []float64)) {
	take(w.raw)
	take(w.x)
}

// slowNode is a node on which runs take longer, by effect in log units.
type slowNode struct {
	node   int
	effect float64
	p      float64
}

// confirmSlowNodes returns the nodes that the runs [from,end) show to be slow, by their estimated probability
// and by a permutation test. Neither is enough alone: the estimate takes visits for independent, and the test
// misses a slow node beside another one, or after four runs.
func (w *Watch) confirmSlowNodes(from, end int) []slowNode {
	runs, regime := w.pl.runs[from:end], w.regime[from:end]
	rng := rand.New(rand.NewPCG(uint64(end-from), 17))
	left := make([]float64, end-from)
	chance := func(node int, others []slowNode) float64 {
		for k := range left {
			left[k] = w.off[from+k] - slowestDelay(others, runs[k])
		}
		c := newContrast(left, runs, len(w.pl.names))
		return c.chanceOf(c.scores(c.value)[node], regime, rng)
	}
	var found []slowNode
	for _, n := range w.suspects.likelySlow() {
		if p := chance(n, found); p <= mostOrders {
			found = append(found, slowNode{n, w.suspects.effect[n], p})
		}
	}
	for i := range len(found) - 1 { // the last one has already been compared with all others
		found[i].p = chance(found[i].node, slices.Concat(found[:i], found[i+1:]))
	}
	return slices.DeleteFunc(found, func(l slowNode) bool { return l.p > mostOrders })
}

// likelySlow returns the nodes that are slow with a probability of at least minSlowChance, those with the most
// evidence first, at most mostNamed.
func (m *suspects) likelySlow() []int {
	var nodes []int
	for n, chance := range m.chance {
		if chance >= minSlowChance {
			nodes = append(nodes, n)
		}
	}
	slices.SortFunc(nodes, func(a, b int) int { return descending(m.nats[a], m.nats[b], a, b) })
	return nodes[:min(len(nodes), mostNamed)]
}

// slowestDelay returns the delay, in log units, of a run on the given nodes: that of the slowest of them.
func slowestDelay(slow []slowNode, nodes []int) float64 {
	most := 0.0
	for _, l := range slow {
		if slices.Contains(nodes, l.node) {
			most = math.Max(most, l.effect)
		}
	}
	return most
}

// names returns the names of the slow nodes as text.
func (w *Watch) names() string {
	names := make([]string, len(w.slow))
	for i, l := range w.slow {
		names[i] = w.pl.names[l.node]
	}
	if len(names) == 1 {
		return "node " + names[0]
	}
	return "nodes " + joinNames(names)
}

// joinNames joins at most mostNamed names to a text, and gives the number of the rest.
func joinNames(names []string) string {
	if len(names) > mostNamed {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:mostNamed], ", "), len(names)-mostNamed)
	}
	return strings.Join(names, ", ")
}
