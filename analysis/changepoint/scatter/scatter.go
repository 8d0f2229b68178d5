// Package scatter says how much runs scatter around their level, whether they look like one level at all, what
// their median is, and what a run off its level costs where some runs are outliers. Logarithms come in; room to
// work in is given by the caller, because these are called at every run.
package scatter

import (
	"math"

	"jobgait/analysis/internal/robust"
)

// Least is the smallest noise believed, log units: a clock of seconds on
// runs of hours shows equal values.
const Least = 1e-4

// BelievedSD and BelievedRuns are what is believed of the noise (log units) before
// any run, and how many runs that belief is worth.
const (
	BelievedSD   float64 = 0.015
	BelievedRuns float64 = 2
)

// OfSteps estimates the noise of x from its steps, which hardly know of
// changes of level: 1.4826 median |x[i]-x[i-1]| / sqrt 2; 0 for fewer than three.
func OfSteps(buf, x []float64) float64 {
	if len(x) < 3 {
		return 0
	}
	buf = buf[:0]
	for i := 1; i < len(x); i++ {
		buf = append(buf, math.Abs(x[i]-x[i-1]))
	}
	return robust.SD * robust.Middle(buf) / math.Sqrt2
}
