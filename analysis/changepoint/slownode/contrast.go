package slownode

import (
	"math"
	"math/rand/v2"
	"slices"

	"jobgait/analysis/internal/robust"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// fewestWith is how many runs must have been with a node, and how many without
	// it, for the two to be compared.
	fewestWith = 3
	// mostOrders is the largest share of random orders that may show such a node, of
	// shuffles. Without, recall is .905, and of 100 histories with steps every 10 to
	// 40 runs, on nodes that are stayed on and none of which is slow, 39 name one.
	mostOrders = .2
	shuffles   = 199
	// clip is how many MAD a run may lie off its level and still count fully.
	clip float64 = 3
)

// contrast compares the runs with each node to those without it.
type contrast struct {
	value []float64 // winsorised, NaN left out
	runs  [][]int
	at    []int // run of each value
	count []int // of runs with each node
	sum   []float64
}

func newContrast(off []float64, runs [][]int, nodes int) contrast {
	c := contrast{count: make([]int, nodes), sum: make([]float64, nodes)}
	for k, v := range off {
		if math.IsNaN(v) {
			continue
		}
		c.value, c.at, c.runs = append(c.value, v), append(c.at, k), append(c.runs, runs[k])
		for _, n := range runs[k] {
			c.count[n]++
		}
	}
	mid, far := robust.Median(c.value), clip*robust.MAD(c.value)
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
		if c.count[n] >= fewestWith && len(value)-c.count[n] >= fewestWith {
			c.sum[n] = (sum/with - (all-sum)/(total-with)) * math.Sqrt(with*(total-with)/total)
		}
	}
	return c.sum
}

// chance is how often the largest contrast of any node reaches z when the nodes have nothing to do with it:
// values in random order within each regime, and node lists shifted by a number of runs, which keeps the
// streaks of both. The larger of the two shares counts.
func (c *contrast) chance(z float64, regime []int, rng *rand.Rand) float64 {
	if c.plain(z) {
		return 1
	}
	n := len(c.value)
	moved := make([]float64, n)
	// Beyond this number the node is not slow and the rest need not be counted.
	enough := int(mostOrders*float64(1+shuffles)) + 1
	reached := 0
	for q := 0; q < shuffles && reached < enough; q++ {
		c.shuffle(moved, regime, rng)
		if slices.Max(c.scores(moved)) >= z {
			reached++
		}
	}
	if reached >= enough {
		return 1
	}
	shuffled := float64(1+reached) / float64(1+shuffles)
	// One rotation by a few runs of a streak is nearly no rotation: the share is
	// of those tried and one more.
	step, tried := max(1, n/shuffles), 0
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

// plain reports that z is not significant, without counting orders: it is below what the largest of that many
// normal contrasts reaches three times in ten.
func (c *contrast) plain(z float64) bool {
	nodes := 0
	for _, with := range c.count {
		if with >= fewestWith && len(c.value)-with >= fewestWith {
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
