package scaling

import (
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// ahead returns the multiples of the largest parameter value that are predicted.
func ahead() []float64 { return []float64{1, 2, 4} }

// wide is the ratio of the ends of an interval at which a prediction is called uncertain.
const wide = 10

// addPredictions adds the predictions of the likelihood method, and notes about growth.
func (w *seriesWork) addPredictions(g grid, d detection) {
	var targets []float64
	last := w.p[len(w.p)-1]
	for _, f := range ahead() {
		targets = append(targets, f*last)
	}
	near, far := 0, len(targets)-1
	targets = append(targets, w.series.Targets...)
	w.outlook = makeOutlook(g, d, targets)
	r := w.result
	for t, p := range targets {
		m := w.outlook.at(t)
		v := Prediction{
			P: p, Level: predictLevel, Extrapolated: p > last,
			Value: m.quantile(0.5, true),
			Lo:    m.quantile((1-predictLevel)/2, true),
			Hi:    m.quantile((1+predictLevel)/2, true),
			LawLo: m.quantile((1-predictLevel)/2, false),
			LawHi: m.quantile((1+predictLevel)/2, false),
		}
		if positive(w.y) {
			v.Lo, v.LawLo = max(v.Lo, 0), max(v.LawLo, 0) // the tails of t know no sign
		}
		w.atMeasured(&v, g)
		if !finite(v.Value, v.Lo, v.Hi, v.LawLo, v.LawHi) {
			continue
		}
		r.Predictions = append(r.Predictions, v)
		if positive(w.y) && v.Hi > wide*v.Lo {
			w.note(note.Unbounded, "at %s = %s anything from %s to %s is possible: the points do not tell",
				parameterName(w.series), quantity.Exact(p), quantity.Plain(v.Lo, 4), quantity.Plain(v.Hi, 4))
		}
	}
	w.noteGrowth(near, far)
}

// finite reports whether all numbers are finite.
func finite(x ...float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
