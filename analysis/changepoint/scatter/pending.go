package scatter

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// pendingZ is the two-sample statistic at which runs look like two levels.
const pendingZ = 4.5

// RunsBeforeStep returns the index in x at which an uncommitted step to another level probably lies, 0 if x
// looks like one level. Without it such a step would be attributed to a node that ran on one side of it, or to
// the days of the week.
func RunsBeforeStep(buf, x []float64) int {
	n := len(x)
	scale := max(NoiseOfSteps(buf, x), LeastNoise)
	mid := robust.MedianWithBuffer(&buf, x)
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
