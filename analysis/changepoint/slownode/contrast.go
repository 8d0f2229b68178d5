package slownode

import (
	"math"
	"math/rand/v2"
	"slices"

	"jobgait/analysis/internal/robust"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// fewestWith is the least number of runs with a node, and of runs without it, for the two to be compared.
	fewestWith = 3
	// mostOrders is the largest accepted share of random orders that show such a node, out of shuffles orders.
	// Without, recall is .905, and of 100 histories with steps every 10 to 40 runs, on nodes that are stayed on
	// and none of which is slow, 39 name one.
	mostOrders = .2
	shuffles   = 199
	// clip is the distance from the level, in MAD, to which runs are clipped.
	clip float64 = 3
)

// contrast compares the runs that used each node with those that did not.
type contrast struct {
	value []float64 // winsorised, NaN left out
	runs  [][]int
	at    []int // run of each value
	count []int // of runs with each node
	sum   []float64
}

// newContrast collects the deviations off of the runs (NaN is left out) and the nodes of each run. It subtracts the
// median from the deviations and limits them to clip MAD.
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

// scores returns for each node the standardised difference between the means of the runs with it and of the
// others, positive if it is slower; 0 unless at least fewestWith runs have the node and at least fewestWith do
// not. The next call overwrites the result.
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

// chanceOf returns the probability, 0 to 1, that the largest contrast of any node reaches z if nodes have no
// effect: values in random order within each regime, and node lists shifted by a number of runs, which keeps
// the streaks of both. The larger of the two shares counts.
func (c *contrast) chanceOf(z float64, regime []int, rng *rand.Rand) float64 {
	if c.isInsignificant(z) {
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

// isInsignificant reports whether z is clearly not significant, so that no orders need be counted: the largest
// of as many normal contrasts exceeds it in three of ten cases or more.
func (c *contrast) isInsignificant(z float64) bool {
	nodes := 0
	for _, with := range c.count {
		if with >= fewestWith && len(c.value)-with >= fewestWith {
			nodes++
		}
	}
	_, sd := robust.Mean(c.value)
	return nodes == 0 || z < sd*distuv.UnitNormal.Quantile(math.Pow(.7, 1/float64(nodes)))
}

// shuffle writes to into the values in random order within each regime.
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
