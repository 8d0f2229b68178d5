package scaling

import (
	"math"
	"slices"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// ahead returns the multiples of the largest parameter value that are predicted.
func ahead() []float64 { return []float64{1, 2, 4} }

// wide is the ratio of the ends of an interval at which a prediction is called uncertain.
const wide = 10

// addPredictions adds the predictions of the likelihood method to the result, at 1, 2 and 4 times the largest size and
// at the targets of the series, and notes about uncertain ones and about growth. At a size of an earlier segment the
// law of that segment predicts. Predictions that are not finite are left out.
func (w *seriesWork) addPredictions(g grid, d detection) {
	var targets []float64
	last := w.p[len(w.p)-1]
	for _, f := range ahead() {
		targets = append(targets, f*last)
	}
	near, far := 0, len(targets)-1
	targets = append(targets, w.series.Targets...)
	w.outlook = makeOutlook(g, d, targets)
	w.allowForBadRun(targets)
	r := w.result
	for t, p := range targets {
		m := w.outlook.at(t)
		if earlier := earlierLaws(g, d.cuts, p); len(earlier) > 0 {
			m = earlier
		}
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
			w.note(note.Unbounded, "at %s = %s any value from %s to %s is possible: the points do not determine it: measure "+
				"more sizes",
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

// allowForBadRun makes the predictions those of two explanations that are equally likely, if one bad run is
// another explanation of the series: the laws of all points, and those of the others. It names the run.
func (w *seriesWork) allowForBadRun(targets []float64) {
	points := w.chosen()
	s := badRunSearch{points: points}
	k, f, ok := s.possible()
	if !ok {
		return
	}
	others := slices.Delete(slices.Clone(points), k, k+1)
	w.outlook.mix(makeOutlook(newGrid(others), detection{}, targets))
	w.note(note.LoneExtreme, "%s", s.singleBadRun(k, f).doubt(parameterName(w.series)))
}

// mix adds the laws of another outlook on the same targets and gives both the same weight.
func (o *outlook) mix(other outlook) {
	for i := range o.candidates {
		o.candidates[i].weight /= 2
	}
	for _, c := range other.candidates {
		c.weight /= 2
		o.candidates = append(o.candidates, c)
	}
}

// earlierLaws returns the predicted distribution at a size below those of the last law: that of the law of its
// segment, or of both neighbors between two segments; nil where only the last law applies.
func earlierLaws(g grid, cuts []int, p float64) blend {
	o := outlook{targets: []float64{p}}
	from, n := 0, len(g.p)
	for _, to := range append(slices.Clone(cuts), n) {
		if (from == 0 || p > g.p[from-1]) && (to == n || p < g.p[to]) {
			if to == n && len(o.candidates) == 0 {
				return nil
			}
			part := makeOutlook(g.part(from, to), detection{}, o.targets)
			if len(o.candidates) == 0 {
				o = part
			} else {
				o.mix(part)
			}
		}
		from = to
	}
	return o.at(0)
}
