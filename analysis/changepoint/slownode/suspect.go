package slownode

import (
	"cmp"
	"math"
	"slices"
)

// What is believed of a node before it is proved slow. Changes
// are looked for in runs from which that belief is taken out. A node proved slow
// by random orders (contrast) has run some ten times by then: with effects
// told after 12 runs F1@1 of changes is .854, after 8 .875, after 5 .903, after
// the first .911 (1200 histories); with proof it was .867, with belief it is .886.
// Of 2000 histories that nothing was chosen on it is .876, and .900 with the true
// effects taken out; of the worst hundred of them .814 and .845. What was tried
// without gain: MEASURED.md.
const (
	// expectedSlow is how many nodes are expected to be slow, mostSlow the largest
	// share of them: .03 to .1 of 24 nodes do alike.
	expectedSlow = 1.5
	mostSlow     = .1
	// leastChance is the chance of being slow from which a node is a suspect.
	leastChance = .02
	// fewestHeard is how many runs with a node tell something. At 3 F1@1 is .003 lower.
	fewestHeard = 1
	// leastMoves is how often a node must have been entered or left: 4 are two visits. A node that the history
	// moved to and stayed on cannot be distinguished from a change. Where runs stay on their nodes with .9, of 150
	// changes of three noises 15 are missed at 2, 12 at 3 and 3 at 4, as many as without node lists; F1@1 above is
	// .888 at 2 and 3, .886 at 4.
	leastMoves = 4
	// screen is the standardised mean from which the runs of a node are looked
	// at. sweeps is how often all nodes are, each with what is then believed of the
	// others.
	screen = 1.2
	sweeps = 2
	// smallest and largest are effects in logarithms, even on a logarithmic scale.
	smallest = .01
	largest  = .5
)

// suspects are the nodes that may be slow, each with the chance that it is and
// how much longer its runs take then.
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
	seen   []testimony
}

func newSuspects(pl *placement) *suspects {
	n := len(pl.names)
	return &suspects{runs: pl.runs, of: make([][]int, n), effect: make([]float64, n),
		chance: make([]float64, n), nats: make([]float64, n), in: make([][]int, len(pl.runs)), z: make([]float64, n)}
}

// arrive takes note of where run k was.
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

// cost is the time that suspects other than one are expected to cost run k:
// that of the slowest that is slow.
func (m *suspects) cost(k, other int) float64 {
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

// descending orders by u and v, larger first, then by number.
func descending(u, v float64, a, b int) int {
	return cmp.Or(cmp.Compare(v, u), a-b)
}

// suspect sets what is believed of a node.
func (m *suspects) suspect(n int, effect, chance float64) {
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

// prior is the logarithm of the odds that a node is slow.
func (m *suspects) prior() float64 {
	share := math.Min(mostSlow, expectedSlow/float64(m.known))
	return math.Log(share / (1 - share))
}

// density is that of the effect of a slow node.
func density(effect float64) float64 {
	return 1 / (math.Max(effect, smallest) * math.Log(largest/smallest))
}

// moves is how often a node was entered or left between from and end.
func (m *suspects) moves(n, from, end int) int {
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
