package changepoint

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// splitScale estimates the noise of x around the medians of its two sides. The
// zeros that odd sides make at their own median are left out, or three runs
// against three would look quieter than they are.
func splitScale(buf, x []float64, k int, left, right float64) float64 {
	buf = buf[:0]
	for i, v := range x {
		if i < k {
			buf = append(buf, math.Abs(v-left))
		} else {
			buf = append(buf, math.Abs(v-right))
		}
	}
	if zeros := k%2 + (len(x)-k)%2; zeros < len(buf) {
		robust.Rank(buf, zeros)
		buf = buf[zeros:]
	}
	return 1.4826 * scatter.Middle(buf)
}

// belief is what is known of the noise before a window is looked at.
type belief struct{ s, weight float64 }

// memory returns the belief of the noise at the start of a regime: that of p
// blended with the difference scale of up to 60 runs before it (0.4 each: a
// difference knows less than a residual; at most 10 in all). Noise is a
// property of machine and code, it is not forgotten when the level changes.
func memory(buf, before []float64, p Params) belief {
	b := belief{p.NoiseSD, p.NoiseWeight}
	before = before[max(0, len(before)-p.MemoryRuns):]
	if len(before) < 5 {
		return b
	}
	m := p.MemoryEach * float64(len(before)-1)
	d := scatter.OfSteps(buf, before)
	b.s = math.Sqrt((b.weight*b.s*b.s + m*d*d) / (b.weight + m))
	b.weight = min(b.weight+m, p.MemoryCap)
	return b
}
