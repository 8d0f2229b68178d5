package job

import (
	"fmt"
	"html/template"
	"math"

	"jobgait/analysis/quantity"
	"jobgait/reports/html"
	"jobgait/reports/plot"
)

// minuteCharts draws a typical stretch of the run as it was sampled: in the timeline of an hour a cycle of some
// seconds is less than a pixel wide.
func (r Report) minuteCharts() []html.Figure {
	m := r.Rhythm.Minute
	if m == nil || !(m.StepS > 0) {
		return nil
	}
	var out []html.Figure
	for _, c := range m.Columns {
		t := trace{c, m.StartS, m.StepS, floats(c.Min), floats(c.Mean), floats(c.Max), r.maxOfUnit(c.Unit)}
		if _, _, ok := plot.Extent(t.mean); !ok {
			continue
		}
		end := m.StartS + float64(len(t.mean))*m.StepS
		chart := plot.New(t.frame(" in a typical stretch", 120, m.StartS, end))
		r.draw(chart, t, "line", end)
		out = append(out, html.Figure{Title: c.Label,
			Remark: fmt.Sprintf("%s from %s on, as it was sampled", quantity.Duration(end-m.StartS),
				quantity.Position(m.StartS, r.Job.ElapsedS)),
			SVG: template.HTML(chart.SVG())})
	}
	return out
}

// Art returns the gauge's bar, which is full when all of the allocated amount was used; "" where that amount is
// unknown.
func (g gauge) Art() template.HTML {
	if !g.known() {
		return ""
	}
	return template.HTML(plot.Meter("value", math.Min(g.Used, g.Of), g.Of, g.Name+": "+g.Text))
}
