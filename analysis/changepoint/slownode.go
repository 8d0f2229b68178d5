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
// to three slow ones, 1000 histories with seeds that were not used to choose
// these figures: .991 of the nodes called slow are, and .895 of the slow ones
// are called so, in the worst hundred histories .983 and .843. With four runs and
// by random orders alone it was .993 and .850. Effects are 1.7 % too large on
// average, half of them within 5.6 %.
type nodeParams struct {
	// sure is how likely it must be by what is believed of it. At .9 precision is
	// .004 more and recall .02 less, at .5 .007 less and .01 more.
	sure float64
	// fewest is how many runs must have been with the node, and how many
	// without it.
	fewest int
	// most is the largest share of random orders that may show such a node, of
	// shuffles. Without, recall is .905, and of 100 histories with steps every 10 to
	// 40 runs, on nodes that are stayed on and none of which is slow, 39 name one.
	most     float64
	shuffles int
	// clip is how many MAD a run may lie off its level and still count fully.
	clip float64
}

func defaultNodes() nodeParams {
	return nodeParams{sure: .75, fewest: 3, most: .2, shuffles: 199, clip: 3}
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
	sum   []float64
}

func newContrast(off []float64, runs [][]int, nodes int, p nodeParams) contrast {
	c := contrast{count: make([]int, nodes), sum: make([]float64, nodes), few: p.fewest}
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

// scores are by how much the runs with each node are slower than the others, by
// the standardised difference of means; 0 for nodes of few runs.
func (c *contrast) scores(value []float64) []float64 {
	all := 0.0
	clear(c.sum)
	for i, v := range value {
		all += v
		for _, n := range c.runs[i] {
			c.sum[n] += v
		}
	}
	total := float64(len(value))
	for n, sum := range c.sum {
		with := float64(c.count[n])
		c.sum[n] = 0
		if c.count[n] >= c.few && len(value)-c.count[n] >= c.few {
			c.sum[n] = (sum/with - (all-sum)/(total-with)) * math.Sqrt(with*(total-with)/total)
		}
	}
	return c.sum
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
	enough := int(p.most*float64(1+p.shuffles)) + 1
	reached := 0
	for q := 0; q < p.shuffles && reached < enough; q++ {
		c.shuffle(moved, regime, rng)
		if slices.Max(c.scores(moved)) >= z {
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
		if slices.Max(c.scores(moved)) >= z {
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

// slowNodes are the slow nodes in the words of a result, slowest first.
func (pl *placement) slowNodes(found []limp) []SlowNode {
	list := make([]SlowNode, 0, len(found))
	for _, l := range found {
		list = append(list, SlowNode{Node: pl.names[l.node], EffectPct: percent(l.effect), P: l.p})
	}
	slices.SortStableFunc(list, func(a, b SlowNode) int { return cmp.Compare(b.EffectPct, a.EffectPct) })
	return list
}
