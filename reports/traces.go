package reports

import (
	"encoding/json"
	"math"
	"slices"
)

// trace is one column as the page draws it.
type trace struct {
	column       Column
	startS       float64
	stepS        float64
	lo, mean, hi []float64
}

// traces returns the columns that the page draws. The first has every bin of
// the timeline; of the others two are joined, and the page stays below 300 KB.
func (r Report) traces() []trace {
	t := r.Rhythm.Timeline
	var out []trace
	for i, c := range r.Rhythm.drawn(r.limits.Charts) {
		lo, hi := r.Rhythm.reach(c)
		n := len(c.Mean)
		x := trace{c, t.StartS, t.StepS, lo, r.Rhythm.levels(c, t.StartS, t.StartS+float64(n)*t.StepS, n), hi}
		if i > 0 && n > 480 {
			x = x.halved()
		}
		out = append(out, x)
	}
	return out
}

// halved joins every two bins: no peak is lost.
func (t trace) halved() trace {
	h := trace{column: t.column, startS: t.startS, stepS: 2 * t.stepS}
	for i := 0; i < len(t.mean); i += 2 {
		a, b := i, min(i+1, len(t.mean)-1)
		if math.IsNaN(t.mean[a]) {
			a = b
		}
		if math.IsNaN(t.mean[b]) {
			b = a
		}
		h.lo, h.hi = append(h.lo, math.Min(t.lo[a], t.lo[b])), append(h.hi, math.Max(t.hi[a], t.hi[b]))
		h.mean = append(h.mean, (t.mean[a]+t.mean[b])/2)
	}
	return h
}

// edges returns the borders of the bins.
func (t trace) edges(end float64) []float64 {
	out := make([]float64, len(t.mean)+1)
	for i := range out {
		out[i] = math.Min(end, t.startS+float64(i)*t.stepS)
	}
	return out
}

// broken returns the points of the mean, broken where one phase ends and the
// next begins: a line across would show a slope that was not there.
func (r Report) broken(t trace) (x, y []float64) {
	last := -1
	for i, v := range t.mean {
		at := t.startS + (float64(i)+0.5)*t.stepS
		p := slices.IndexFunc(r.Rhythm.Phases, func(p Phase) bool { return at >= p.StartS && at < p.EndS })
		if p != last && i > 0 {
			x, y = append(x, at), append(y, math.NaN())
		}
		last = p
		x, y = append(x, at), append(y, v)
	}
	return x, y
}

// samples is what the page's script reads values from, as JSON.
func (r Report) samples() string {
	type column struct {
		Label string     `json:"label"`
		Start float64    `json:"start"`
		Step  float64    `json:"step"`
		Min   []*float64 `json:"min"`
		Mean  []*float64 `json:"mean"`
		Max   []*float64 `json:"max"`
	}
	out := struct {
		Phases  [][3]any `json:"phases"`
		Columns []column `json:"columns"`
	}{[][3]any{}, []column{}}
	for _, p := range r.seen() {
		out.Phases = append(out.Phases, [3]any{p.StartS, p.EndS, p.name()})
	}
	for _, t := range r.traces() {
		out.Columns = append(out.Columns, column{t.column.short, t.startS, t.stepS, rounded(t.lo), rounded(t.mean), rounded(t.hi)})
	}
	b, err := json.Marshal(out)
	if err != nil { // there are finite numbers and clean strings only
		return `{"phases":[],"columns":[]}`
	}
	return string(b)
}

// rounded keeps three figures, what a reader can use; missing is nil.
func rounded(values []float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if v != 0 {
			scale := math.Pow(10, 2-math.Floor(math.Log10(math.Abs(v))))
			if !math.IsInf(scale, 0) && scale > 0 {
				v = math.Round(v*scale) / scale
			}
		}
		out[i] = &v
	}
	return out
}
