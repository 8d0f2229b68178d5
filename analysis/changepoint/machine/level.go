package machine

import (
	"math"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// levelTracker follows the level of one series run by run. It is coarse (the median of the newest runs; three
// in a row far off restart it) because the median over series forgives one that is wrong, and because it must
// never look ahead.
type levelTracker struct {
	x   []float64 // newest values since the level began
	all []float64 // newest values, whatever the level
	buf []float64
	// sd is the noise of all, 0 if it must be recomputed: that takes longer than everything else here, and each
	// run needs it twice.
	sd float64
}

// noiseRuns is the number of newest runs from which the noise is estimated.
const noiseRuns = 60

// value returns the level in log units; false before the third run at it.
func (t *levelTracker) value() (float64, bool) {
	if len(t.x) < 3 {
		return 0, false
	}
	return robust.MedianWithBuffer(&t.buf, t.x), true
}

// leastSpread is the least noise, in log units, that is assumed for a series.
const leastSpread = .005

// noise returns the noise of the series, in log units, from the differences between consecutive runs.
func (t *levelTracker) noise() float64 {
	if t.sd == 0 {
		t.sd = math.Max(scatter.NoiseOfSteps(t.buf, t.all), leastSpread)
	}
	return t.sd
}

// add adds the next run; three runs in a row far from the level start a new level.
func (t *levelTracker) add(v float64) {
	t.all, t.sd = lastValues(append(t.all, v), noiseRuns), 0
	t.x = lastValues(append(t.x, v), memory)
	n := len(t.x)
	if n < 8 {
		return
	}
	old, last := robust.MedianWithBuffer(&t.buf, t.x[:n-3]), t.x[n-3:]
	far := 2.5 * t.noise()
	if min(last[0], last[1], last[2]) > old+far || max(last[0], last[1], last[2]) < old-far {
		t.x = append([]float64(nil), last...)
	}
}

// lastValues returns the last n values of x, moved to its front.
func lastValues(x []float64, n int) []float64 {
	if len(x) <= n {
		return x
	}
	copy(x, x[len(x)-n:])
	return x[:n]
}
