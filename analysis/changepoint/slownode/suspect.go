package slownode

import (
	"cmp"
	"math"
	"slices"
)

// Parameters of the estimated effect of a node before it is proved slow. Changes are searched in runs from
// which the estimate is subtracted. A node proved slow by the permutation test (contrast) has run about ten
// times by then. If the true effects are known only after 12 runs, F1@1 of changes is .854, after 8 runs .875,
// after 5 .903, after the first .911 (1200 histories). Subtracting only proved effects gave .867, subtracting
// the estimates gives .886. On 2000 histories that were not used to choose parameters it is .876, and .900 with
// the true effects subtracted; on the worst hundred of them .814 and .845. What was tried without gain:
// MEASURED.md.
const (
	// expectedSlow is the expected number of slow nodes, mostSlow their largest share: .03 to .1 of 24 nodes give
	// the same results.
	expectedSlow = 1.5
	mostSlow     = .1
	// leastChance is the least probability of being slow at which a node is a suspect.
	leastChance = .02
	// minNodeRuns is the least number of runs with a node for an estimate. At 3 F1@1 is .003 lower.
	minNodeRuns = 1
	// leastMoves is how often a node must have been entered or left: 4 are two visits. A node that the history
	// moved to and stayed on cannot be distinguished from a change. Where runs stay on their nodes with .9, of 150
	// changes of three noises 15 are missed at 2, 12 at 3 and 3 at 4, as many as without node lists; F1@1 above is
	// .888 at 2 and 3, .886 at 4.
	leastMoves = 4
	// screen is the least standardised mean of the runs of a node for which its effect is estimated. sweeps is the
	// number of passes over all nodes, each with the current estimates of the others.
	screen = 1.2
	sweeps = 2
	// smallest and largest bound the effect of a slow node, in log units; the prior is uniform on a logarithmic
	// scale between them.
	smallest = .01
	largest  = .5
)

// suspects holds for each node the estimated probability that it is slow and by how much longer its runs then
// take.
type suspects struct {
	runs   [][]int   // nodes of each run
	of     [][]int   // runs of each node
	known  int       // nodes that a run was on by now
	effect []float64 // of each node if it is slow
	chance []float64 // that it is; 0: no suspect
	nats   []float64 // evidence for it
	in     [][]int   // suspects of each run
	z      []float64
	order  []int
	sorted []int
	seen   []nodeRun
}

// newSuspects returns suspects for the nodes of a placement, none of them suspected yet.
func newSuspects(pl *placement) *suspects {
	n := len(pl.names)
	return &suspects{runs: pl.runs, of: make([][]int, n), effect: make([]float64, n),
		chance: make([]float64, n), nats: make([]float64, n), in: make([][]int, len(pl.runs)), z: make([]float64, n)}
}

// arrive records the nodes of run k.
func (m *suspects) arrive(k int) {
	for _, n := range m.runs[k] {
		m.known = max(m.known, n+1) // they are numbered as they come
		m.of[n] = append(m.of[n], k)
		if m.chance[n] > 0 {
			m.in[k] = append(m.in[k], n)
		}
	}
}

// noNode is the sentinel for "no node".
const noNode = -1

// expectedDelay returns the expected delay of run k, in log units, due to suspects other than the given node:
// the slowest one decides.
func (m *suspects) expectedDelay(k, other int) float64 {
	m.sorted = append(m.sorted[:0], m.in[k]...)
	slices.SortFunc(m.sorted, func(a, b int) int { return descending(m.effect[a], m.effect[b], a, b) })
	sum, none := 0.0, 1.0
	for _, n := range m.sorted {
		if n != other {
			sum += none * m.chance[n] * m.effect[n]
			none *= 1 - m.chance[n]
		}
	}
	return sum
}

// descending compares u with v, larger first, then a with b, smaller first.
func descending(u, v float64, a, b int) int {
	return cmp.Or(cmp.Compare(v, u), a-b)
}

// setSuspect sets the effect of a node and its probability of being slow; below leastChance the node is no
// suspect.
func (m *suspects) setSuspect(n int, effect, chance float64) {
	if chance < leastChance {
		effect, chance = 0, 0
	}
	was, is := m.chance[n] > 0, chance > 0
	m.effect[n], m.chance[n] = effect, chance
	if was == is {
		return
	}
	for _, k := range m.of[n] {
		if is {
			m.in[k] = append(m.in[k], n)
		} else {
			m.in[k] = slices.DeleteFunc(m.in[k], func(o int) bool { return o == n })
		}
	}
}

// priorLogOdds returns the logarithm of the prior odds that a node is slow.
func (m *suspects) priorLogOdds() float64 {
	share := math.Min(mostSlow, expectedSlow/float64(m.known))
	return math.Log(share / (1 - share))
}

// effectDensity returns the prior probability density of the effect of a slow node.
func effectDensity(effect float64) float64 {
	return 1 / (math.Max(effect, smallest) * math.Log(largest/smallest))
}

// countMoves returns how often the runs between from and end began or stopped using a node.
func (m *suspects) countMoves(n, from, end int) int {
	of, count := m.of[n], 0
	for i, k := range of {
		if k > from && k < end && (i == 0 || of[i-1] != k-1) {
			count++
		}
		if k >= from && k < end-1 && (i == len(of)-1 || of[i+1] != k+1) {
			count++
		}
	}
	return count
}
