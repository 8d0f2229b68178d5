package periods

import (
	"fmt"
	"io"
	"math"

	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/html"
	"jobgait/reports/plot"
)

const (
	maxBins  = 932 // one per pixel
	maxDrawn = 6   // patterns that are drawn
)

// style is the CSS for elements that no page has.
const style = `.dots { fill: none; stroke: var(--p0); stroke-width: 3; stroke-linecap: round; }
.most { stroke-opacity: .3; }
.span.step { fill: var(--warn); fill-opacity: .8; } .span.rest { fill-opacity: .05; }
`

// SVG writes one picture: the column over time with the phases in the background and, for the first maxDrawn
// patterns, the shape with its low regions and, from three iterations on, their lengths.
func (r Detection) SVG(w io.Writer) error {
	var p html.Sheet
	p.Text(r.heading(), "")
	panel := func(title, text string, c *plot.Chart) {
		if c != nil {
			p.Text(title, text)
			p.Picture(c.SVG(), c.Size())
		}
	}
	if c, ok := r.drawnColumn(); ok {
		panel("over time", c.Name, r.timeline(c))
	}
	for i, q := range r.Patterns {
		if i == maxDrawn {
			break
		}
		panel(fmt.Sprintf("pattern %s: %s", q.ID, quantity.Period(q.PeriodS)),
			fmt.Sprintf("%s, %s; band: 10th to 90th percentile", q.ValuesColumn, quantity.Plural(q.Count, "cycle")), q.shape())
		if q.Count > 2 {
			panel("length of cycles of "+q.ID, "over time", r.lengths(q))
		}
	}
	return p.Write(w, style)
}

// heading returns the file's name, and says if there is no period.
func (r Detection) heading() string {
	text := r.name
	if len(r.Patterns) == 0 {
		text += ": no period"
		if n := len(r.Notes); n > 0 {
			text += " (" + string(r.Notes[n-1].Code) + ")"
		}
	}
	return text
}

// drawnColumn returns the column whose shape is drawn, or the first if there is no pattern. It returns false if
// there are no samples.
func (r Detection) drawnColumn() (series.Column, bool) {
	if len(r.Patterns) > 0 {
		if c, ok := r.set.Column(r.Patterns[0].ValuesColumn); ok {
			return c, true
		}
	}
	if len(r.set.Columns) == 0 || r.RateHz == nil || r.Samples == 0 {
		return series.Column{}, false
	}
	return r.set.Columns[0], true
}

// timeline draws the first 200 phases in the background and a column: its mean, and a band from its smallest to
// its largest values where more than one sample falls into a pixel.
func (r Detection) timeline(c series.Column) *plot.Chart {
	n := len(c.Values)
	bins := min(n, maxBins)
	end := float64(n) * r.set.StepS
	edges, x := make([]float64, bins+1), make([]float64, bins)
	for k := range bins {
		edges[k], edges[k+1] = float64(k*n/bins)*r.set.StepS, float64((k+1)*n/bins)*r.set.StepS
		x[k] = (edges[k] + edges[k+1]) / 2
	}
	lo, mean, hi := series.Parts(numbers{c.Values, r.shift[c.Name]}.floats(), bins)
	y, ticks := valueScale(3, lo, hi)
	chart := plot.New(plot.Frame{Name: c.Name + " over time", Height: 150, X: plot.Scale{Lo: 0, Hi: end}, Y: y,
		XTicks: plot.TimeTicks(0, end, 8), YTicks: ticks})
	for i, p := range r.table {
		if i == 200 {
			break
		}
		chart.Span(r.class(p), p.StartS-r.set.StartS, p.EndS-r.set.StartS, label(p), string(p.Kind))
	}
	if n > bins {
		chart.Bins("band", edges, lo, hi)
	}
	chart.Line("line", x, mean)
	return chart
}

// class returns the CSS class of a phase: that of its pattern's colour for a loop, else "rest".
func (r Detection) class(p phase.Phase) string {
	if p.Kind == phase.Loop {
		for i, q := range r.Patterns {
			if q.ID == p.Pattern {
				return fmt.Sprintf("p%d", i%4)
			}
		}
	}
	return "rest"
}

// label returns the label of a phase: the pattern of a loop, else the kind of phase.
func label(p phase.Phase) string {
	if p.Kind == phase.Loop {
		return p.Pattern
	}
	return string(p.Kind)
}

// valueScale returns a scale from zero if no value is negative and the smallest is at most half the largest, else a
// scale around the values.
func valueScale(want int, lists ...[]float64) (plot.Scale, []plot.Tick) {
	if lo, hi, _ := plot.Extent(lists...); lo >= 0 && lo <= 0.5*hi {
		return plot.FromZero(want, lists...)
	}
	return plot.Between(want, lists...)
}

// shape draws the shape of one pattern, nil if it has fewer than two values.
func (q DetectedPattern) shape() *plot.Chart {
	n := len(q.Values.v)
	if n < 2 {
		return nil
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = (float64(i) + 0.5) * q.PeriodS / float64(n)
	}
	v, lo, hi := q.Values.floats(), q.P10.floats(), q.P90.floats()
	y, ticks := valueScale(3, v, lo, hi)
	chart := plot.New(plot.Frame{Name: "pattern " + q.ID, Height: 170, X: plot.Scale{Lo: 0, Hi: q.PeriodS}, Y: y,
		XTicks: plot.TimeTicks(0, q.PeriodS, 8), YTicks: ticks})
	for _, l := range q.Low {
		tip := fmt.Sprintf("low for %s in %s of the cycles", quantity.Duration(l.DurationS), quantity.Share(l.Repeatability))
		name := "low " + quantity.Share(l.Share)
		end := l.OffsetS + l.DurationS
		chart.Span("gap", l.OffsetS, min(end, q.PeriodS), name, tip)
		if end > q.PeriodS {
			chart.Span("gap", 0, end-q.PeriodS, "", tip)
		}
	}
	chart.Band("band", x, lo, hi)
	chart.Line("line", x, v)
	return chart
}

// floats returns the values with the offset added.
func (n numbers) floats() []float64 {
	out := make([]float64, len(n.v))
	for i, v := range n.v {
		out[i] = float64(v) + n.shift
	}
	return out
}

// maxDots is the largest number of iterations that are drawn one by one.
const maxDots = 1500

// lengths draws how long each iteration took; with more than maxDots, the mean and the longest of adjacent
// iterations.
func (r Detection) lengths(q DetectedPattern) *plot.Chart {
	n := len(q.Instances)
	bins := min(n, maxDots)
	unit, scale := " s", r.set.StepS
	if q.PeriodS < 1 {
		unit, scale = " ms", 1000*r.set.StepS
	}
	at, long := make([]float64, n), make([]float64, n)
	for i, in := range q.Instances {
		at[i], long[i] = (float64(in[0])+float64(in[1])/2)*r.set.StepS, float64(in[1])*scale
	}
	_, x, _ := series.Parts(at, bins)
	_, mean, maxima := series.Parts(long, bins)
	y, ticks := valueScale(2, mean, maxima)
	for i := range ticks {
		ticks[i].Label += unit
	}
	end := float64(r.Samples) * r.set.StepS
	chart := plot.New(plot.Frame{Name: "length of cycles", Height: 100, X: plot.Scale{Lo: 0, Hi: end}, Y: y,
		XTicks: plot.TimeTicks(0, end, 8), YTicks: ticks})
	for _, s := range q.Drift.Steps {
		chart.Span("step", s.TS-r.set.StartS, s.TS-r.set.StartS+end/400, "", quantity.Signed(s.EffectPct))
	}
	if n > bins {
		chart.Line("dots most", separatePoints(x), separatePoints(maxima))
	}
	chart.Line("dots", separatePoints(x), separatePoints(mean))
	return chart
}

// separatePoints puts a missing value between all points, so that no line joins them: a line across a gap would
// suggest iterations that did not happen.
func separatePoints(x []float64) []float64 {
	out := make([]float64, 0, 2*len(x))
	for _, v := range x {
		out = append(out, v, math.NaN())
	}
	return out
}
