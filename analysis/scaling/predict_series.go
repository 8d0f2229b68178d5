package scaling

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"jobgait/analysis/note"
)

// ahead is the multiples of the largest parameter value that are predicted.
func ahead() []float64 { return []float64{1, 2, 4} }

// wide is the ratio of the ends of an interval from which a prediction is
// called uncertain.
const wide = 10

// foresee fills in the predictions of the likelihood method and what is
// expected of growth.
func (w *work) foresee(g grid, d detection) {
	var targets []float64
	last := w.p[len(w.p)-1]
	for _, f := range ahead() {
		targets = append(targets, f*last)
	}
	w.ahead = foresee(g, d, targets)
	r := w.result
	for t, p := range targets {
		m := w.ahead.at(t)
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
		if !finite(v.Value, v.Lo, v.Hi, v.LawLo, v.LawHi) {
			continue
		}
		r.Predictions = append(r.Predictions, v)
		if positive(w.y) && v.Hi > wide*v.Lo {
			w.note(note.Unbounded, "at %s = %s anything from %s to %s is possible: the points do not tell",
				parameterName(w.series), plain(p), plain(v.Lo), plain(v.Hi))
		}
	}
	w.expect(0, len(targets)-1)
}

// conditional predicts by the model of the last segment, as the paper and
// Extra-P do; the interval is that of least squares if the model is right.
func (w *work) conditional() {
	m := w.lastModel()
	if m == nil {
		return
	}
	s := w.result.Segments[len(w.result.Segments)-1]
	p := w.p[s.First : s.Last+1]
	free := len(p) - 1 - len(m.Terms)
	for _, f := range ahead() {
		at := f * p[len(p)-1]
		v := Prediction{P: at, Value: m.At(at), Level: predictLevel, Extrapolated: f > 1}
		if free > 0 {
			t := distuv.StudentsT{Sigma: 1, Nu: float64(free)}.Quantile((1 + predictLevel) / 2)
			noise, lever := m.RSS/float64(free), leverage(m, p, at)
			run, law := t*math.Sqrt(noise*(1+lever)), t*math.Sqrt(noise*lever)
			v.Lo, v.Hi = v.Value-run, v.Value+run
			v.LawLo, v.LawHi = v.Value-law, v.Value+law
		}
		if free > 0 && finite(v.Value, v.Lo, v.Hi, v.LawLo, v.LawHi) {
			w.result.Predictions = append(w.result.Predictions, v)
		}
	}
	if len(w.result.Predictions) > 0 {
		w.note(note.Conditional, "the intervals hold if this model is the right one; the default method's include the choice")
	}
}

// leverage is the variance of a model's value at an unseen p in units of the
// noise: of the mean, and of the slope if there is a term.
func leverage(m *Model, p []float64, at float64) float64 {
	n := float64(len(p))
	if len(m.Terms) == 0 {
		return 1 / n
	}
	t, mean, q := m.Terms[0], 0.0, 0.0
	for _, v := range p {
		mean += t.Shape(v) / n
	}
	for _, v := range p {
		q += (t.Shape(v) - mean) * (t.Shape(v) - mean)
	}
	d := t.Shape(at) - mean
	return 1/n + d*d/q
}

func finite(x ...float64) bool {
	for _, v := range x {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}
