package job

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/quantity"
	"jobgait/reports/plot"
)

// trace is one column of the timeline as the page draws it.
type trace struct {
	column       Curve
	startS       float64
	stepS        float64
	lo, mean, hi []float64
	// limit is the largest value of the axis, 0 for no limit. More than all of a node's CPUs cannot be busy, and
	// one late sample would flatten the rest.
	limit float64
}

// drawnColumns is the largest number of timeline columns that are drawn, which keeps the page below 350 KB.
const drawnColumns = 4

// traces returns the columns that the page draws.
func (r Report) traces() []trace {
	t, bins := r.Rhythm.Timeline, r.Rhythm.bins()
	var out []trace
	for _, c := range r.Rhythm.drawn(drawnColumns) {
		lo, hi := bins.MinMax(c.Min, c.Max)
		n := len(c.Mean)
		mean := bins.Levels(c.Mean, t.StartS, t.StartS+float64(n)*t.StepS, n)
		out = append(out, trace{c, t.StartS, t.StepS, lo, mean, hi, r.maxOfUnit(c.Unit)})
	}
	return out
}

// frame returns the frame of a chart of the trace, height pixels high, whose time axis goes from lo to hi seconds. what
// follows the column's label in the chart's name.
func (t trace) frame(what string, height int, lo, hi float64) plot.Frame {
	markedLevels := []float64{}
	if t.column.Unit == "CPUs" {
		markedLevels = append(markedLevels, leastCPUs)
	}
	y, ticks := plot.FromZero(3, cappedValues(t.limit, t.hi), cappedValues(t.limit, t.mean), markedLevels)
	return plot.Frame{Name: t.column.Label + what, Height: height, X: plot.Scale{Lo: lo, Hi: hi}, Y: y,
		XTicks: plot.TimeTicks(lo, hi, 7), YTicks: inPercent(ticks, t.column.Unit)}
}

// maxOfUnit returns the largest value that a node can have in a unit, 0 where that is unknown.
func (r Report) maxOfUnit(unit string) float64 {
	if unit == "CPUs" {
		return float64(r.Quality.NodeCPUs)
	}
	return 0
}

// cappedValues returns the values limited to limit; limit = 0 means no limit.
func cappedValues(limit float64, values []float64) []float64 {
	if limit <= 0 {
		return values
	}
	out := make([]float64, len(values))
	for i, v := range values {
		out[i] = math.Min(v, limit) // NaN stays NaN
	}
	return out
}

// draw draws a trace into a chart: a band from the minimum to the maximum of each bin, and the mean as a line of the
// CSS class line. No bin extends beyond end, in s.
func (r Report) draw(c *plot.Chart, t trace, line string, end float64) {
	c.Bins("band", t.edges(end), t.lo, t.hi)
	x, y := r.broken(t)
	c.Line(line, x, y)
}

// edges returns the borders of the bins in s.
func (t trace) edges(end float64) []float64 {
	out := make([]float64, len(t.mean)+1)
	for i := range out {
		out[i] = math.Min(end, t.startS+float64(i)*t.stepS)
	}
	return out
}

// broken returns the points of the mean, with a break between phases: a line across would show a slope that did
// not exist.
func (r Report) broken(t trace) (x, y []float64) {
	last := -1
	for i, v := range t.mean {
		at := t.startS + (float64(i)+0.5)*t.stepS
		p := slices.IndexFunc(r.Rhythm.Phases, func(p RunPhase) bool { return at >= p.StartS && at < p.EndS })
		if p != last && i > 0 {
			x, y = append(x, at), append(y, math.NaN())
		}
		last = p
		x, y = append(x, at), append(y, v)
	}
	return x, y
}

// samples returns the JSON from which the page's script reads values.
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
		out.Columns = append(out.Columns,
			column{t.column.short, t.startS, t.stepS, rounded(t.lo), rounded(t.mean), rounded(t.hi)})
	}
	for _, g := range r.gpusWithLanes()[:min(len(r.gpusWithLanes()), hoverLanes)] {
		out.Columns = append(out.Columns,
			column{Label: fmt.Sprintf("GPU %d", g.Index), Start: g.Lane.StartS, Step: g.Lane.StepS,
				Mean: rounded(floats(g.Lane.Busy))})
	}
	b, err := json.Marshal(out)
	if err != nil { // there are finite numbers and clean strings only
		return `{"phases":[],"columns":[]}`
	}
	return string(b)
}

// rounded rounds the values to three significant figures; missing values become nil.
func rounded(values []float64) []*float64 {
	out := make([]*float64, len(values))
	for i, v := range values {
		if quantity.Known(v) {
			v = quantity.Rounded(v, 3)
			out[i] = &v
		}
	}
	return out
}
