package scaling

import (
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

const (
	// extremeRange: sums of squares in 64 bits see nothing of values that are
	// smaller than others by this factor.
	extremeRange = 1e8
	// loneFactor and loneExponent: no law of the normal form leaves one value
	// this many times its neighbours on both sides, or grows to the next p
	// with this power (its largest is 3, with squared logarithms about 4).
	loneFactor, loneExponent = 20, 8
	// endFactor: another law may begin at the last point, but not so far off.
	// Two of the paper's are up to 700 times apart there.
	endFactor = 1e6
)

// warn adds notes about values that make models unreliable. With method Likelihood it also removes a lone
// extreme value, or sets lastIsFar if that is the last one and the detector must decide.
func (w *seriesWork) warn(method Method) {
	lo, hi, below := math.Inf(1), 0.0, 0
	for _, v := range w.y {
		if v <= 0 {
			below++
			continue
		}
		lo, hi = min(lo, v), max(hi, v)
	}
	if below > 0 {
		w.note(note.NonPositive, "%d of %d values are zero or negative: errors cannot be relative to the value, and the "+
			"default method looks for no change",
			below, len(w.y))
		return
	}
	if hi > extremeRange*lo {
		w.note(note.ExtremeRange, "values reach from %s to %s: errors in units of the metric do not describe the small "+
			"values",
			quantity.Plain(lo, 4), quantity.Plain(hi, 4))
	}
	if k, ok := findLoneExtreme(w.p, w.y); ok {
		leave := method == Likelihood && len(w.p) > enoughPoints
		if last := len(w.p) - 1; leave && k == last && math.Abs(math.Log(w.y[last]/w.y[last-1])) < math.Log(endFactor) {
			w.lastIsFar = true // the detector decides
			return
		}
		w.warnLone(k, leave)
	}
}

// warnLone adds a note about the extreme value at index k, and removes it if leave is true, as for the default
// method.
func (w *seriesWork) warnLone(k int, leave bool) {
	then := "models and changes depend on it: repeat that run"
	if leave {
		then = "it is left out"
	}
	w.note(note.LoneExtreme, "the value at %s = %s, %s, is far from those beside it, as of a failed run: %s",
		parameterName(w.series), quantity.Exact(w.p[k]), quantity.Plain(w.y[k], 4), then)
	if !leave {
		return
	}
	var kept []int
	for i := range w.p {
		if i != k {
			kept = append(kept, i)
		}
	}
	w.keepPoints(kept)
}

// findLoneExtreme returns the index of the first value that is more than loneFactor times both its neighbours, or less
// than 1/loneFactor of both. Without one, it returns the index of the last or first value if that and its only
// neighbour differ by a factor above loneFactor and above the ratio of their p to the power loneExponent, while that
// neighbour and the next value do not. ok is false if no value is so extreme. The values must be positive, p ascending.
func findLoneExtreme(p, y []float64) (at int, ok bool) {
	n := len(y)
	if n < leastForModel {
		return 0, false
	}
	for k := 1; k+1 < n; k++ {
		a, b := y[k]/y[k-1], y[k]/y[k+1]
		peak := a > loneFactor && b > loneFactor
		pit := a < 1./loneFactor && b < 1./loneFactor
		if peak || pit {
			return k, true
		}
	}
	steep := func(a, b int) bool {
		rise := math.Abs(math.Log(y[b] / y[a]))
		return rise > math.Log(loneFactor) && rise > loneExponent*math.Log(p[b]/p[a])
	}
	switch {
	case steep(n-2, n-1) && !steep(n-3, n-2):
		return n - 1, true
	case steep(0, 1) && !steep(1, 2):
		return 0, true
	}
	return 0, false
}
