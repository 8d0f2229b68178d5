package scaling

import (
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

const (
	// expectFactor is how far ahead growth is judged.
	expectFactor = 4
	// expectSure is how probable it must be that growth is worse than expected.
	expectSure = 0.95
	// expectSlack is growth beyond the expected over expectFactor that is too small to act on.
	expectSlack = 1.1
)

// expect notes where the metric grows faster than it should, and by which term:
// than the declared scaling would have it, and in any case than the parameter.
// It weighs all laws that the points allow, so that a term that noise put there
// is no finding. far is the index of the target expectFactor times the largest p,
// near that of the largest p.
func (w *work) expect(near, far int) {
	if len(w.ahead.candidates) == 0 || !positive(w.y) {
		return
	}
	name := parameterName(w.series)
	worse := func(ideal float64) float64 {
		share := 0.0
		for _, c := range w.ahead.candidates {
			if c.at[far].centre > c.at[near].centre*ideal*expectSlack {
				share += c.weight
			}
		}
		return share
	}
	if sure := worse(expectFactor); sure >= expectSure {
		w.note(note.WorseThanLinear, "grows faster than %s beyond %s = %s (probability %.2f)%s",
			name, name, quantity.Exact(w.p[len(w.p)-1]), sure, w.blame(1))
	}
	var ideal float64
	var want string
	switch w.series.Mode {
	case Strong:
		ideal, want = 1./expectFactor, "falls as 1/"+name+" would"
	case Weak:
		ideal, want = 1, "stays as it is"
	default:
		return
	}
	if sure := worse(ideal); sure >= expectSure {
		w.note(note.WorseThanDeclared,
			"%s scaling is ideal when the metric %s; from %s = %s to %s it is worse (probability %.2f)%s",
			w.series.Mode, want, name, quantity.Exact(w.p[len(w.p)-1]), quantity.Exact(expectFactor*w.p[len(w.p)-1]), sure,
			w.blame(math.Log2(ideal)/math.Log2(expectFactor)))
	}
}

// blame names the term of the last law that grows faster than p^power, the
// largest of them at the far end; the constant, if that is what does not fall.
func (w *work) blame(power float64) string {
	m := w.lastModel()
	if m == nil {
		return ""
	}
	p := w.p[len(w.p)-1]
	far := expectFactor * p
	most, which := 0.0, ""
	if power < 0 && m.Constant > 0 {
		most, which = m.Constant, "the constant "+short(m.Constant)
	}
	for _, t := range m.Terms {
		v := t.Coefficient * t.Shape(far)
		grows := t.Coefficient*t.Shape(far) > t.Coefficient*t.Shape(p)*math.Pow(expectFactor, power)
		if grows && v > most {
			most = v
			which = short(t.Coefficient) + t.factors("p")
		}
	}
	if which == "" {
		return ""
	}
	return ", by " + which
}

// lastModel is the model of the last segment, or nil.
func (w *work) lastModel() *Model {
	if s := w.result.Segments; len(s) > 0 {
		return s[len(s)-1].Model
	}
	return nil
}
