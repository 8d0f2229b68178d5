package scatter

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// pendingZ is the two-sample statistic from which runs look like two levels.
const pendingZ = 4.5

// Pending is how many of runs x, which are of one level as far as is committed,
// come before another one, 0 where they look like one. A change that is not yet
// sure would else be laid to a node that happens to have run on one side of it,
// or to the days of the week.
func Pending(buf, x []float64) int {
	n := len(x)
	scale := max(OfSteps(buf, x), Least)
	mid := robust.MedianIn(&buf, x)
	off := func(v float64) float64 { return max(-6, min(6, (v-mid)/scale)) }
	total := 0.0
	for _, v := range x {
		total += off(v)
	}
	best, at, left := pendingZ, 0, 0.0
	for k := 1; k <= n-3; k++ {
		left += off(x[k-1])
		if k < 3 {
			continue
		}
		l, r := float64(k), float64(n-k)
		if z := math.Abs((total-left)/r-left/l) * math.Sqrt(l*r/(l+r)); z > best {
			best, at = z, k
		}
	}
	return at
}
