package reports

import (
	"fmt"
	"html/template"
	"math"

	"jobgait/analysis/quantity"
	"jobgait/reports/plot"
)

// minuteCharts draw a typical minute of the run as it was sampled: over an hour a cycle
// of some seconds is less than a pixel, and the timeline a solid block.
func (r Report) minuteCharts() []Chart {
	m := r.Rhythm.Minute
	if m == nil || !(m.StepS > 0) {
		return nil
	}
	var out []Chart
	for _, c := range m.Columns {
		lo, mean, hi := floats(c.Min), floats(c.Mean), floats(c.Max)
		if _, _, ok := plot.Extent(mean); !ok || len(lo) != len(mean) || len(hi) != len(mean) {
			continue
		}
		end := m.StartS + float64(len(mean))*m.StepS
		edges, mid := make([]float64, len(mean)+1), make([]float64, len(mean))
		for i := range edges {
			edges[i] = m.StartS + float64(i)*m.StepS
		}
		for i := range mid {
			mid[i] = edges[i] + m.StepS/2
		}
		y, ticks := plot.FromZero(3, hi, mean)
		chart := plot.New(plot.Frame{Name: c.Label + " in a typical minute", Height: 120, X: plot.Scale{Lo: m.StartS, Hi: end}, Y: y,
			XTicks: plot.TimeTicks(m.StartS, end, 6), YTicks: inPercent(ticks, c.Unit)})
		chart.Bins("band", edges, lo, hi)
		chart.Line("line", mid, mean)
		out = append(out, Chart{c.Label, fmt.Sprintf("%s from %s on, as it was sampled", quantity.Duration(end-m.StartS), quantity.Position(m.StartS, r.Job.ElapsedS)),
			template.HTML(chart.SVG())})
	}
	return out
}

// Art is the gauge's bar, which is full at what was given, and empty where nothing is
// known of that.
func (g gauge) Art() template.HTML {
	if !g.known() {
		return ""
	}
	return template.HTML(plot.Meter("value", math.Min(g.Used, g.Of), g.Of, g.Name+": "+g.Text))
}
