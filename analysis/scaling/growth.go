package scaling

import (
	"math"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

const (
	// expectFactor is the multiple of the largest p at which growth is tested.
	expectFactor = 4
	// expectSure is the least probability that growth is worse than expected for a note.
	expectSure = 0.95
	// expectSlack is growth beyond the expected over expectFactor that is too small to act on.
	expectSlack = 1.1
)

// noteGrowth adds a note if the metric grows faster than the parameter, or worse than the declared scaling
// allows, and names the term. It averages over all laws that the points allow, so that a term due to noise
// gives no note. far is the index of the target expectFactor times the largest p, near that of the largest p.
func (w *seriesWork) noteGrowth(near, far int) {
	if len(w.outlook.candidates) == 0 || !positive(w.y) {
		return
	}
	name := parameterName(w.series)
	worse := func(ideal float64) float64 {
		share := 0.0
		for _, c := range w.outlook.candidates {
			if c.at[far].centre > c.at[near].centre*ideal*expectSlack {
				share += c.weight
			}
		}
		return share
	}
	if sure := worse(expectFactor); sure >= expectSure {
		w.note(note.WorseThanLinear, "the metric grows faster than %s beyond %s = %s (probability %.2f)%s",
			name, name, quantity.Exact(w.p[len(w.p)-1]), sure, w.dominantTerm(1))
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
			w.dominantTerm(math.Log2(ideal)/math.Log2(expectFactor)))
	}
}

// dominantTerm returns a text that names the largest term of the last law that grows faster than p^power, or
// the constant if that does not fall; "" if none exists.
func (w *seriesWork) dominantTerm(power float64) string {
	m := w.lastModel()
	if m == nil {
		return ""
	}
	p := w.p[len(w.p)-1]
	far := expectFactor * p
	largest, term := 0.0, ""
	if power < 0 && m.Constant > 0 {
		largest, term = m.Constant, "the constant "+fourDigits(m.Constant)
	}
	for _, t := range m.Terms {
		v := t.Coefficient * t.Shape(far)
		grows := t.Coefficient*t.Shape(far) > t.Coefficient*t.Shape(p)*math.Pow(expectFactor, power)
		if grows && v > largest {
			largest = v
			term = fourDigits(t.Coefficient) + t.factors("p")
		}
	}
	if term == "" {
		return ""
	}
	return ", by " + term
}

// lastModel returns the model of the last segment, or nil.
func (w *seriesWork) lastModel() *Model {
	if s := w.result.Segments; len(s) > 0 {
		return s[len(s)-1].Model
	}
	return nil
}
