package reports

import (
	"encoding/json"
	"fmt"
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

// drawnColumns is the number of columns of the timeline that are drawn.
const drawnColumns = 5

// traces returns the columns that the page draws. The first has every bin of
// the timeline; of the others two are joined, and the page stays below 350 KB.
// If iterations could be seen in single bins but not in joined ones, one column
// less is drawn instead: pictures above each other shall show the same.
func (r Report) traces() []trace {
	t, bins := r.Rhythm.Timeline, r.Rhythm.bins()
	cols := r.Rhythm.drawn(drawnColumns)
	quarter := r.Rhythm.period() / 4
	join := !(t.StepS < quarter && 2*t.StepS >= quarter)
	if !join {
		cols = cols[:min(len(cols), 3)]
	}
	var out []trace
	for i, c := range cols {
		lo, hi := bins.Reach(c.Min, c.Max)
		n, step := len(c.Mean), t.StepS
		if i > 0 && n > 480 && join {
			lo, hi = joined(lo, math.Min), joined(hi, math.Max)
			n, step = len(lo), 2*step
		}
		mean := bins.Levels(c.Mean, t.StartS, t.StartS+float64(n)*step, n)
		out = append(out, trace{c, t.StartS, step, lo, mean, hi})
	}
	return out
}

// joined makes one bin of every two; no peak is lost.
func joined(values []float64, pick func(x, y float64) float64) []float64 {
	out := make([]float64, 0, (len(values)+1)/2)
	for i := 0; i < len(values); i += 2 {
		a, b := values[i], values[min(i+1, len(values)-1)]
		switch {
		case math.IsNaN(a):
			a = b
		case !math.IsNaN(b):
			a = pick(a, b)
		}
		out = append(out, a)
	}
	return out
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
		Min   []*float64 `json:"min"` // null where there is no range
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
	for _, g := range r.laned()[:min(len(r.laned()), readLanes)] {
		out.Columns = append(out.Columns, column{Label: fmt.Sprintf("GPU %d", g.Index), Start: g.Lane.StartS, Step: g.Lane.StepS, Mean: rounded(floats(g.Lane.Busy))})
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
