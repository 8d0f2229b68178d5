package dashboard

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"jobgait/analysis/changepoint/evidence"
	"jobgait/analysis/quantity"
	"jobgait/reports/change"
	"jobgait/reports/html"
	"jobgait/reports/plot"
)

// curves returns the evidence and the normal plot of a history, none if it has too few runs.
func curves(s change.JudgedHistory) []html.Figure {
	return slices.DeleteFunc([]html.Figure{evidenceFigure(s), normalFigure(s)}, func(f html.Figure) bool {
		return f.SVG == ""
	})
}

// paperAlpha is the significance level of the Albany report's published page.
const paperAlpha = 0.005

// evidenceRuns is the largest number of runs of the evidence curve.
const evidenceRuns = 200

// evidenceFigure draws the evidence of each split of the runs around the newest change, or of the newest runs.
// It is empty below eight runs.
func evidenceFigure(s change.JudgedHistory) html.Figure {
	first := max(0, len(s.Y)-evidenceRuns)
	if n := len(s.Result.Regimes); n > 1 {
		first = max(first, s.Result.Regimes[n-2].First)
	}
	var at, y []float64
	for k := first; k < len(s.Y); k++ {
		if v := s.Y[k]; v > 0 && !math.IsInf(v, 0) {
			at, y = append(at, s.T[k]), append(y, v)
		}
	}
	const fewest = 8
	if len(y) < fewest {
		return html.Figure{}
	}
	curve, bar := evidence.Splits(y), evidence.Threshold(len(y), paperAlpha)
	f := plot.Frame{Name: "evidence for a change at each run", Class: "evidence", Height: 110, X: paddedScale(at)}
	f.Y, f.YTicks = plot.FromZero(3, curve, []float64{bar})
	f.XTicks = s.Ticks(f.X, 4)
	c := plot.New(f)
	c.Line("bar", []float64{f.X.Lo, f.X.Hi}, []float64{bar, bar})
	c.Line("line", at, curve)
	return html.Figure{Title: "Evidence per split",
		Remark: fmt.Sprintf("-log10 p of the paper's t test at each of %s; dashed: the threshold for a change",
			quantity.Plural(len(y), "run")),
		SVG: template.HTML(c.SVG())}
}

// paddedScale returns a scale over ascending positions with a margin.
func paddedScale(at []float64) plot.Scale {
	lo, hi := at[0], at[len(at)-1]
	if !(hi > lo) {
		lo, hi = lo-0.5, hi+0.5
	}
	return plot.Scale{Lo: lo - (hi-lo)/60, Hi: hi + (hi-lo)/60}
}

// normalFigure draws the normal plot of the runs' deviations from their levels. It is empty below twenty runs.
func normalFigure(s change.JudgedHistory) html.Figure {
	r := evidence.Residuals(s.Y, s.Result.Regimes, s.Result.Outliers)
	p, ok := evidence.Normality(r)
	if !ok {
		return html.Figure{}
	}
	normal := evidence.Normal(len(r))
	x, y := sampleEvenly(normal), sampleEvenly(r)
	const reach = 3.2 // standard deviations; of a thousand runs one lies beyond
	f := plot.Frame{Name: "normal plot of the runs", Class: "normal", Height: 110, X: plot.Scale{Lo: -reach, Hi: reach},
		Y: plot.Scale{Lo: -reach, Hi: reach}}
	for _, v := range []float64{-2, 0, 2} {
		label := fmt.Sprintf("%+.0f sd", v)
		if v == 0 {
			label = "level"
		}
		f.XTicks, f.YTicks = append(f.XTicks, plot.Tick{Value: v, Label: label}),
			append(f.YTicks, plot.Tick{Value: v, Label: label})
	}
	c := plot.New(f)
	c.Line("bar", []float64{-reach, reach}, []float64{-reach, reach})
	c.Dots("runs small", x, y)
	verdict := "nothing speaks against it"
	if p < 0.05 {
		verdict = "they are not"
	}
	return html.Figure{Title: "Are log times normal?", SVG: template.HTML(c.SVG()),
		Remark: fmt.Sprintf("%s (D'Agostino and Pearson, %s, %s without outliers)", verdict, quantity.Chance(p),
			quantity.Plural(len(r), "run"))}
}

// sampleEvenly returns at most a hundred values, evenly chosen.
func sampleEvenly(x []float64) []float64 {
	const maxPoints = 100
	if len(x) <= maxPoints {
		return x
	}
	out := make([]float64, maxPoints)
	for i := range out {
		out[i] = x[i*(len(x)-1)/(maxPoints-1)]
	}
	return out
}

// histogramFigure draws the relative differences of a pair with the interval of their mean shaded. The bins at
// both ends hold all values beyond them and are drawn as wide as the others.
func histogramFigure(p change.Pair) html.Figure {
	n := len(p.Histogram)
	if n == 0 {
		return html.Figure{}
	}
	inner := p.Histogram[n/2]
	width := inner.Hi - inner.Lo
	place := func(pct float64) float64 { return (pct-inner.Lo)/width + float64(n/2) }
	counts, class, tips := make([]float64, n), make([]string, n), make([]string, n)
	for i, b := range p.Histogram {
		counts[i], class[i] = float64(b.Count), "value"
		tips[i] = fmt.Sprintf("%s: %d", quantity.PercentRange(b.Lo, b.Hi), b.Count)
	}
	f := plot.Frame{Name: "relative differences of " + p.Other + " against " + p.Base, Class: "histogram", Height: 130,
		X: plot.Scale{Lo: 0, Hi: float64(n)}}
	f.Y, f.YTicks = plot.FromZero(3, counts)
	_, ticks := plot.Between(5, []float64{inner.Lo - float64(n/2)*width, inner.Lo + float64(n-n/2)*width})
	for _, t := range ticks {
		if at := place(t.Value); at >= 0 && at <= float64(n) {
			f.XTicks = append(f.XTicks, plot.Tick{Value: at, Label: quantity.Chosen(t.Value)})
		}
	}
	c := plot.New(f)
	c.Bars(class, counts, tips)
	if lo, hi := p.LoPct, p.HiPct; lo != nil && hi != nil && !math.IsNaN(*lo) && !math.IsNaN(*hi) {
		c.Span("interval", place(*lo), place(*hi), "", "interval of the mean")
	}
	if at := place(0); at >= 0 && at <= float64(n) {
		c.Mark("zero", at, "", "")
	}
	return html.Figure{SVG: template.HTML(c.SVG())}
}
