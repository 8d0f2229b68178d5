package job

import (
	"fmt"
	"html/template"
	"slices"

	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
	"jobgait/reports/html"
	"jobgait/reports/plot"
)

// newExamples returns the examples that can be drawn: those with a known reason, a length and values. It multiplies the
// values by the factor by.
func newExamples(list []summary.Example, by float64) (out []summary.Example) {
	for _, e := range list {
		known := slices.Contains([]summary.ExampleReason{summary.Start, summary.Typical, summary.Slowest}, e.Why)
		if !known || !(e.LengthS > 0) || len(e.Values) == 0 {
			continue
		}
		e.Values = scaled(e.Values, by)
		out = append(out, e)
	}
	return out
}

// exampleCharts draws sampled cycles of the main pattern beside each other on one scale: a longer cycle is
// drawn wider in proportion.
func (r Report) exampleCharts() (out []html.Figure) {
	if len(r.Rhythm.Patterns) == 0 {
		return nil
	}
	q := r.Rhythm.Patterns[0]
	longest, all := 0.0, []float64(nil)
	for _, e := range q.Examples {
		longest, all = max(longest, e.LengthS), append(all, cappedValues(r.maxOfUnit(q.Shape.Unit), floats(e.Values))...)
	}
	if _, _, ok := plot.Extent(all); !ok {
		return nil
	}
	y, ticks := plot.FromZero(2, all)
	for _, e := range q.Examples {
		at, values := quantity.Position(e.StartS, r.Job.ElapsedS), floats(e.Values)
		x := make([]float64, len(values))
		for i := range x {
			x[i] = (float64(i) + 0.5) / float64(len(x)) * e.LengthS
		}
		chart := plot.New(plot.Frame{Name: fmt.Sprintf("the cycle at %s, %s", at, e.Why), Height: 90,
			X: plot.Scale{Lo: 0, Hi: longest}, Y: y,
			YTicks: inPercent(ticks, q.Shape.Unit)})
		chart.Line("line run", x, values)
		out = append(out, html.Figure{Title: string(e.Why), Remark: "at " + at + ", " + quantity.Period(e.LengthS),
			SVG: template.HTML(chart.SVG())})
	}
	return out
}
