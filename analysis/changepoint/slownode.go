package changepoint

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"jobgait/analysis/internal/robust"

	"gonum.org/v1/gonum/stat/distuv"
)

// nodeParams say when a node is called slow. What is taken out of runs while
// changes are looked for is another thing (suspectParams). Of 24 nodes with one
// to three slow ones, 2000 histories with seeds that were not used to choose
// these figures: .991 of the nodes called slow are, and .830 of the slow ones
// are called so, with effects 1.5 % too large on average and 8 % off.
type nodeParams struct {
	// fewest is how many runs must have been with the node, and how many
	// without it.
	fewest int
	// most is the largest number of slow nodes that is looked for.
	most int
	// shuffles is how many random orders the largest contrast of any node is
	// compared with.
	shuffles int
	// adjust is the share of them that may reach it for the node to be taken out
	// of its runs when the next is looked for, say the share for it to be called
	// slow.
	adjust, say float64
	// sure is how likely it must be besides by what is believed of it. At say .04
	// without it, precision was .987 and recall .833, with both .990 and .839.
	sure float64
	// clip is how many MAD a run may lie off its level and still count fully.
	clip float64
}

func defaultNodes() nodeParams {
	return nodeParams{fewest: 4, most: 4, shuffles: 199, adjust: .1, say: .05, sure: .5, clip: 3}
}

// placement is where the runs of a history were: nodes by number.
type placement struct {
	names []string
	runs  [][]int
}

// newPlacement numbers the nodes; it is empty where none are recorded or all
// runs had the same.
func newPlacement(r *ready) placement {
	lists := column(r, r.Nodes)
	if lists == nil {
		return placement{}
	}
	number := make(map[string]int)
	p := placement{runs: make([][]int, len(lists))}
	for k, l := range lists {
		for _, name := range l {
			n, ok := number[name]
			if !ok {
				n = len(p.names)
				number[name] = n
				p.names = append(p.names, name)
			}
			if !slices.Contains(p.runs[k], n) {
				p.runs[k] = append(p.runs[k], n)
			}
		}
	}
	if len(p.names) < 2 {
		return placement{}
	}
	return p
}

// limp is a node with which runs take longer, in logarithms.
type limp struct {
	node   int
	effect float64
	p      float64
}

// limping finds slow nodes among runs that lie off their level by off, NaN
// where the level is not known. A run is as slow as its slowest node: once a
// node is found, its effect is taken out of its runs and the next is looked
// for. regime keeps shuffles within runs of one level.
func (pl *placement) limping(off []float64, regime []int, runs [][]int, p nodeParams) []limp {
	left := slices.Clone(off)
	var found []limp
	rng := rand.New(rand.NewPCG(uint64(len(off)), 17))
	for len(found) < p.most {
		c := newContrast(left, runs, len(pl.names), p)
		node, z := c.largest(c.value)
		if node < 0 || slices.ContainsFunc(found, func(l limp) bool { return l.node == node }) {
			break
		}
		chance := c.chance(z, regime, rng, p)
		if chance > p.adjust {
			break
		}
		l := limp{node, c.effect(node, left), chance}
		if l.effect <= 0 {
			break
		}
		found = append(found, l)
		for k := range left {
			left[k] = off[k] - extra(found, runs[k])
		}
	}
	return found
}

// extra is the time that slow nodes cost a run: that of the slowest of them.
func extra(slow []limp, nodes []int) float64 {
	most := 0.0
	for _, l := range slow {
		if slices.Contains(nodes, l.node) {
			most = math.Max(most, l.effect)
		}
	}
	return most
}

// contrast compares the runs with each node to those without it.
type contrast struct {
	value []float64 // winsorised, NaN left out
	runs  [][]int
	at    []int // run of each value
	count []int // of runs with each node
	few   int
}

func newContrast(off []float64, runs [][]int, nodes int, p nodeParams) contrast {
	c := contrast{count: make([]int, nodes), few: p.fewest}
	for k, v := range off {
		if math.IsNaN(v) {
			continue
		}
		c.value, c.at, c.runs = append(c.value, v), append(c.at, k), append(c.runs, runs[k])
		for _, n := range runs[k] {
			c.count[n]++
		}
	}
	mid, far := robust.Median(c.value), p.clip*robust.MAD(c.value)
	for i, v := range c.value {
		c.value[i] = math.Max(-far, math.Min(far, v-mid))
	}
	return c
}

// largest is the node whose runs are slowest against the others, by the
// standardised difference of means.
func (c *contrast) largest(value []float64) (node int, z float64) {
	sum, all := make([]float64, len(c.count)), 0.0
	for i, v := range value {
		all += v
		for _, n := range c.runs[i] {
			sum[n] += v
		}
	}
	total := float64(len(value))
	node, z = -1, 0
	for n, with := range c.count {
		if with < c.few || len(value)-with < c.few {
			continue
		}
		w := float64(with)
		d := sum[n]/w - (all-sum[n])/(total-w)
		if s := d * math.Sqrt(w*(total-w)/total); s > z {
			node, z = n, s
		}
	}
	return node, z
}

// chance is how often the largest contrast of any node reaches z when the
// nodes have nothing to do with it: values in random order within each regime,
// and node lists moved on by so many runs, which keeps the streaks of both. The
// larger of the two shares counts.
func (c *contrast) chance(z float64, regime []int, rng *rand.Rand, p nodeParams) float64 {
	if c.plain(z) {
		return 1
	}
	n := len(c.value)
	moved := make([]float64, n)
	// Beyond so many, the node is not slow and the rest need not be counted.
	enough := int(p.adjust*float64(1+p.shuffles)) + 1
	reached := 0
	for q := 0; q < p.shuffles && reached < enough; q++ {
		c.shuffle(moved, regime, rng)
		if _, v := c.largest(moved); v >= z {
			reached++
		}
	}
	if reached >= enough {
		return 1
	}
	shuffled := float64(1+reached) / float64(1+p.shuffles)
	// One rotation by a few runs of a streak is nearly no rotation: the share is
	// of those tried and one more.
	step, tried := max(1, n/p.shuffles), 0
	reached = 0
	for by := step; by < n && reached < enough; by += step {
		for i := range moved {
			moved[i] = c.value[(i+by)%n]
		}
		tried++
		if _, v := c.largest(moved); v >= z {
			reached++
		}
	}
	return math.Max(shuffled, float64(reached)/float64(tried+1))
}

// plain says that z is nothing without counting orders: below what the largest
// of so many normal contrasts reaches three times in ten.
func (c *contrast) plain(z float64) bool {
	nodes := 0
	for _, with := range c.count {
		if with >= c.few && len(c.value)-with >= c.few {
			nodes++
		}
	}
	_, sd := robust.Mean(c.value)
	return nodes == 0 || z < sd*distuv.UnitNormal.Quantile(math.Pow(.7, 1/float64(nodes)))
}

// shuffle puts the values of each regime in random order.
func (c *contrast) shuffle(into []float64, regime []int, rng *rand.Rand) {
	copy(into, c.value)
	for first := 0; first < len(into); {
		end := first + 1
		for end < len(into) && regime[c.at[end]] == regime[c.at[first]] {
			end++
		}
		part := into[first:end]
		rng.Shuffle(len(part), func(a, b int) { part[a], part[b] = part[b], part[a] })
		first = end
	}
}

// effect is how much slower the runs with a node are, by medians.
func (c *contrast) effect(node int, off []float64) float64 {
	var with, without []float64
	for i, k := range c.at {
		if slices.Contains(c.runs[i], node) {
			with = append(with, off[k])
		} else {
			without = append(without, off[k])
		}
	}
	return robust.Median(with) - robust.Median(without)
}

// slowNodes are the slow nodes in the words of a result, slowest first.
func (pl *placement) slowNodes(found []limp) []SlowNode {
	list := make([]SlowNode, 0, len(found))
	for _, l := range found {
		list = append(list, SlowNode{Node: pl.names[l.node], EffectPct: percent(l.effect), P: l.p})
	}
	slices.SortStableFunc(list, func(a, b SlowNode) int { return cmp.Compare(b.EffectPct, a.EffectPct) })
	return list
}
