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

const (
	// memoryRuns before a regime tell of its noise, each worth memoryEach
	// observations (a difference knows less than a residual) and all at most
	// memoryCap.
	memoryRuns = 60
	memoryEach = 0.4
	memoryCap  = 10
)

// memory returns the belief of the noise at the start of a regime: that before any
// run blended with the difference scale of the runs before it. Noise is a
// property of machine and code, it is not forgotten when the level changes.
func memory(buf, before []float64) belief {
	b := belief{scatter.BelievedSD, scatter.BelievedRuns}
	before = before[max(0, len(before)-memoryRuns):]
	if len(before) < 5 {
		return b
	}
	m := memoryEach * float64(len(before)-1)
	d := scatter.OfSteps(buf, before)
	b.s = math.Sqrt((b.weight*b.s*b.s + m*d*d) / (b.weight + m))
	b.weight = min(b.weight+m, memoryCap)
	return b
}
