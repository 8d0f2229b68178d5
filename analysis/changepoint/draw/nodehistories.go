package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// nodes is the number of nodes of the partition on which runs are placed.
const nodes = 24

// DrawOnRandomNodes simulates 70 to 150 runs, each on one to six of 24 nodes. One to three nodes are slow by at
// least two standard deviations of the noise: a run takes as long as its slowest node. The history has up to
// two changes of 2 to 50 % and at least two standard deviations, twelve or more runs apart.
func DrawOnRandomNodes(r *rand.Rand) DrawnHistory { return DrawOnNodes(r, 0) }

// DrawOnNodes simulates runs like DrawOnRandomNodes, but a run uses the nodes of the run before it with probability
// stay.
func DrawOnNodes(r *rand.Rand, stay float64) DrawnHistory {
	n, per, sd := 70+r.IntN(81), 1+r.IntN(6), loguniform(r, .005, .1)
	h := DrawnHistory{Slow: make(map[string]float64)}
	for range 1 + r.IntN(3) {
		h.Slow[node(r.IntN(nodes))] = max(2*sd, .02+.1*r.Float64())
	}
	h.ID, h.T = "placed", days(r, n)
	var at []int
	for range r.IntN(3) {
		at = append(at, 12+r.IntN(n-24))
	}
	slices.Sort(at)
	if len(at) == 2 && at[1]-at[0] < 12 {
		at = at[:1]
	}
	level := make([]float64, n)
	bounds := append(append([]int{0}, at...), n)
	for q, i := range at {
		d := effect(r, .02, .5)
		d = math.Copysign(max(math.Abs(d), 2*sd), d)
		h.Changes = append(h.Changes, PlantedChange{i, d, Strength(d, sd, i-bounds[q], bounds[q+2]-i)})
		for k := i; k < n; k++ {
			level[k] += d
		}
	}
	d := someDisturbed(r)
	var on []int
	for k := range level {
		if k == 0 || stay == 0 || r.Float64() >= stay {
			on = r.Perm(nodes)[:per]
		}
		var names []string
		slow := 0.0
		for _, v := range on {
			names = append(names, node(v))
			slow = max(slow, h.Slow[node(v)])
		}
		h.Nodes = append(h.Nodes, names)
		h.Y = append(h.Y, seconds(level[k]+slow+sd*r.NormFloat64()+d.add(r)))
	}
	return h
}

// node returns the name of node i.
func node(i int) string { return fmt.Sprintf("n%02d", i) }
