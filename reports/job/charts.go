package job

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/reports/html"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// timelineCharts returns a chart over the run for each column that is not folded away, with the phases in the
// background. The first column's chart is higher and has the phases' names. Below them is the chart of the GPUs.
func (r Report) timelineCharts() []html.Figure {
	end := r.Rhythm.Timeline.end(r.Job.ElapsedS)
	var out []html.Figure
	for i, t := range r.traces() {
		height := 96
		if i == 0 {
			height = 150
		}
		if figure, ok := r.timelineChart(t, height, i == 0); ok && !t.column.isFolded() {
			out = append(out, figure)
		}
	}
	if p := r.gpuLaneChart(); p != nil && len(out) > 0 && end > 0 {
		out = append(out, *p)
	}
	return out
}

// foldedCharts returns the charts over the run of the folded columns, which few readers need.
func (r Report) foldedCharts() []html.Figure {
	var out []html.Figure
	for _, t := range r.traces() {
		if figure, ok := r.timelineChart(t, 96, false); ok && t.column.isFolded() {
			out = append(out, figure)
		}
	}
	return out
}

// foldedWords returns a sentence that lists the labels of the folded columns.
func (r Report) foldedWords() string {
	var names []string
	for _, f := range r.foldedCharts() {
		names = append(names, f.Title)
	}
	return text.Sentence(strings.Join(names, ", "))
}

// timelineChart returns the chart of one column over the run, height pixels high, with the phases in the background.
// named adds the names of the phases. It returns false if the column has no values or the run has no length.
func (r Report) timelineChart(t trace, height int, named bool) (html.Figure, bool) {
	end := r.Rhythm.Timeline.end(r.Job.ElapsedS)
	if _, _, ok := plot.Extent(t.mean); !ok || end <= 0 {
		return html.Figure{}, false
	}
	chart := plot.New(t.frame(" over the run", height, 0, end))
	r.spans(chart, named)
	r.draw(chart, t, "line run", end)
	return html.Figure{Title: t.column.Label, Remark: unitWords(t.column.Unit), SVG: template.HTML(chart.SVG())}, true
}

// inPercent relabels, in place, the ticks of an axis whose unit is "share" in percent. It leaves those of other units
// as they are.
func inPercent(ticks []plot.Tick, unit string) []plot.Tick {
	if unit == "share" {
		for i, t := range ticks {
			ticks[i].Label = quantity.Chosen(100 * t.Value)
		}
	}
	return ticks
}

// spans draws the phases in the background of a chart, with their names above it if named is set.
func (r Report) spans(chart *plot.Chart, named bool) {
	for _, p := range r.seen() {
		label := ""
		switch {
		case !named:
		case p.Kind == phase.Aperiodic && len(r.Rhythm.Phases) == 1: // the text says that there is no period
		case p.Kind == phase.Loop:
			label = string(p.Pattern)
		default:
			label = p.Kind.ReaderText()
		}
		tip := fmt.Sprintf("%s, %s to %s: %s, %s of the run", p.name(), quantity.Position(p.StartS, r.Job.ElapsedS),
			quantity.Position(p.EndS, r.Job.ElapsedS), quantity.Duration(p.length()), quantity.Share(p.Share))
		chart.Span(r.phaseClass(p), p.StartS, p.EndS, label, tip)
	}
}

// maxSpans is the largest number of phases that are drawn: a run may have thousands.
const maxSpans = 150

// seen returns the phases to draw: all, or, if there are more than maxSpans, those that last at least 1/maxSpans of the
// run.
func (r Report) seen() []RunPhase {
	if len(r.Rhythm.Phases) <= maxSpans {
		return r.Rhythm.Phases
	}
	minLength := r.Rhythm.Timeline.end(r.Job.ElapsedS) / maxSpans
	return slices.DeleteFunc(slices.Clone(r.Rhythm.Phases), func(p RunPhase) bool { return p.length() < minLength })
}

// phaseClass returns the CSS class of a phase: the class of its pattern's colour for a loop, "gap" for a gap or a
// checkpoint, and "rest" for all others.
func (r Report) phaseClass(p RunPhase) string {
	i := slices.IndexFunc(r.Rhythm.Patterns, func(q Pattern) bool { return q.ID == string(p.Pattern) })
	switch {
	case p.Kind == phase.Loop && i >= 0:
		return fmt.Sprintf("p%d", i%4)
	case p.Kind == phase.Gap || p.Kind == phase.Checkpoint:
		return "gap"
	}
	return "rest"
}

// shapeCharts returns a chart of one cycle for each of the first four patterns, except those without values: a line for
// the mean, a band from the 10th to the 90th percentile.
func (r Report) shapeCharts() []html.Figure {
	var out []html.Figure
	for i, q := range r.Rhythm.Patterns[:min(4, len(r.Rhythm.Patterns))] {
		mean, p10, p90 := floats(q.Shape.Mean), floats(q.Shape.P10), floats(q.Shape.P90)
		if _, _, ok := plot.Extent(mean); !ok {
			continue
		}
		length := q.Period.value()
		x := make([]float64, len(mean))
		for k := range x {
			x[k] = (float64(k) + 0.5) / float64(len(x)) * length
		}
		limit := r.maxOfUnit(q.Shape.Unit)
		y, ticks := plot.FromZero(4, cappedValues(limit, mean), cappedValues(limit, p90))
		chart := plot.New(plot.Frame{Name: "one cycle of pattern " + q.ID, Height: 150, X: plot.Scale{Lo: 0, Hi: length},
			Y:      y,
			XTicks: plot.TimeTicks(0, length, 5), YTicks: inPercent(ticks, q.Shape.Unit)})
		color := fmt.Sprintf("c%d", i%4)
		chart.Band("band "+color, x, p10, p90)
		chart.Line("line "+color, x, mean)
		out = append(out, html.Figure{Title: "One cycle of " + q.ID,
			Remark: q.Shape.Label + "; " + quantity.Period(length) + "; " + q.evidence(),
			SVG:    template.HTML(chart.SVG())})
	}
	return out
}

// driftChart draws the length of the main pattern's cycles over the run, on the time axis of the timeline. Lengths far
// above twice the period are cut off; the table lists them. It returns nil if there is nothing to draw. The main
// pattern must have a drift.
func (r Report) driftChart() *html.Figure {
	d := r.Rhythm.drift()
	end := r.Rhythm.Timeline.end(r.Job.ElapsedS)
	t, mean, longest := floats(d.Lengths.TS), floats(d.Lengths.MeanS), floats(d.Lengths.MaxS)
	lo, hi, ok := historyRange(mean)
	if !ok || end <= 0 {
		return nil
	}
	hi = min(hi, 2*r.Rhythm.period())
	y := plot.Scale{Lo: max(0, lo-(hi-lo)/10), Hi: hi + (hi-lo)/10}
	chart := plot.New(plot.Frame{Name: "length of cycles over the run", Height: 130, X: plot.Scale{Lo: 0, Hi: end}, Y: y,
		XTicks: plot.TimeTicks(0, end, 7), YTicks: plot.TimeTicks(y.Lo, y.Hi, 4)})
	remark := "a point a cycle"
	if d.Lengths.Group > 1 {
		chart.Band("band", t, mean, longest)
		remark = fmt.Sprintf("line: mean of %d cycles; band: to the longest", d.Lengths.Group)
	}
	x, line := d.broken()
	chart.Line("line", x, line)
	for _, s := range d.Steps[:min(len(d.Steps), maxSteps)] {
		chart.Mark("axis", s.TS, quantity.Signed(s.EffectPct), "at "+quantity.Position(s.TS, r.Job.ElapsedS))
	}
	return &html.Figure{Title: "Length of one cycle", Remark: remark, SVG: template.HTML(chart.SVG())}
}

// historyCharts returns a chart of the elapsed time and one of the period, each over the earlier runs and this one. It
// leaves out a chart without values. There must be at least one earlier run.
func (r Report) historyCharts() []html.Figure {
	var out []html.Figure
	for _, q := range []runFigure{{"Elapsed", quantity.Duration, EarlierRun.elapsed, r.Job.ElapsedS},
		{"One cycle", quantity.Period, EarlierRun.period, r.Rhythm.period()}} {
		if p, ok := r.historyChart(q); ok {
			out = append(out, p)
		}
	}
	return out
}

// runFigure is a quantity that every earlier run and this run have, such as the elapsed time.
type runFigure struct {
	name  string
	print func(float64) string
	of    func(EarlierRun) float64
	now   float64
}

// historyChart draws one quantity over the earlier runs, oldest first, and this run. It returns false if no run has a
// value. There must be at least one earlier run.
func (r Report) historyChart(q runFigure) (html.Figure, bool) {
	runs := r.Earlier.inOrder()
	var x, y []float64
	var class, tips []string
	add := func(v float64, c, tip string) {
		x, y, class, tips = append(x, float64(len(x))), append(y, v), append(class, c), append(tips, tip)
	}
	for _, run := range runs {
		v := q.of(run)
		add(v, "dot", fmt.Sprintf("job %s, %s: %s", run.ID, moment(run.StartEpochS).In(r.zone).Format("2006-01-02 15:04"),
			q.print(v)))
	}
	add(q.now, "dot now", "this run: "+q.print(q.now))
	if _, _, ok := plot.Extent(y); !ok {
		return html.Figure{}, false
	}
	scale, _ := plot.FromZero(3, y)
	ticks := plot.TimeTicks(0, scale.Hi, 3)
	last := float64(len(runs))
	first := -0.5 - 0.12*(last+1) // room for the labels of the y axis
	day := func(run EarlierRun) string { return moment(run.StartEpochS).In(r.zone).Format("2 Jan 2006") }
	chart := plot.New(plot.Frame{Name: q.name + " of earlier runs", Class: "history", Height: 110,
		X: plot.Scale{Lo: first, Hi: last + 0.5}, Y: scale, YTicks: ticks,
		XTicks: []plot.Tick{{Value: first, Label: day(runs[0])}, {Value: last + 0.5, Label: "this run"}}})
	chart.Line("trace", x, y)
	chart.Points(class, x, y, tips)
	return html.Figure{Title: q.name, Remark: "oldest first, this run last", SVG: template.HTML(chart.SVG())}, true
}

// unitWords returns the unit as a chart's caption prints it, "" where the label says it.
func unitWords(unit string) string {
	switch unit {
	case "", "1", "CPUs", "samples", "share":
		return ""
	case "s/s":
		return "CPUs"
	case "bytes":
		return "B"
	case "bytes/s":
		return "B a second"
	case "1/s":
		return "a second"
	}
	return unit
}
