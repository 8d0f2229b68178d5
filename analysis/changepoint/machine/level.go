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

// noiseRuns is how many runs tell the noise.
const noiseRuns = 60

// value is the level; it is not ok before the third run at it.
func (t *levelTracker) value() (float64, bool) {
	if len(t.x) < 3 {
		return 0, false
	}
	return robust.MedianIn(&t.buf, t.x), true
}

// leastSpread is the least noise that a series is believed to have when others
// lean on it, in logarithms.
const leastSpread = .005

// noise is the scale of steps from run to run.
func (t *levelTracker) noise() float64 {
	if t.sd == 0 {
		t.sd = math.Max(scatter.OfSteps(t.buf, t.all), leastSpread)
	}
	return t.sd
}

// add takes the next run.
func (t *levelTracker) add(v float64) {
	t.all, t.sd = newest(append(t.all, v), noiseRuns), 0
	t.x = newest(append(t.x, v), memory)
	n := len(t.x)
	if n < 8 {
		return
	}
	old, last := robust.MedianIn(&t.buf, t.x[:n-3]), t.x[n-3:]
	far := 2.5 * t.noise()
	if min(last[0], last[1], last[2]) > old+far || max(last[0], last[1], last[2]) < old-far {
		t.x = append([]float64(nil), last...)
	}
}

// newest cuts x to its last n values.
func newest(x []float64, n int) []float64 {
	if len(x) <= n {
		return x
	}
	copy(x, x[len(x)-n:])
	return x[:n]
}
