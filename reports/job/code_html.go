package job

import (
	"html/template"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/html"
	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// codeChart draws one cycle with the classes of code stacked, in busy CPUs or, over the CPU time of a cycle,
// in shares of it; nil where no cycle was sampled.
func (r Report) codeChart() *html.Figure {
	c := r.Code
	length, remark := r.codePeriod(), "busy CPUs by kind of code, mean of the cycles"
	if c.WithinOf == series.CPU && c.CycleS != nil {
		length, remark = *c.CycleS, "share of the CPU time by kind of code, over the CPU time of a cycle"
	}
	if c.Pattern == "" || !(length > 0) {
		return nil
	}
	edges := make([]float64, anatomy.Bins+1)
	for i := range edges {
		edges[i] = length * float64(i) / anatomy.Bins
	}
	total := make([]float64, anatomy.Bins)
	var layers [][2][]float64
	for _, p := range c.Classes {
		lo, hi := append([]float64{}, total...), make([]float64, anatomy.Bins)
		for i := range hi {
			if hi[i] = total[i]; i < len(p.Within) {
				hi[i] += p.Within[i] / (length / anatomy.Bins)
			}
		}
		layers, total = append(layers, [2][]float64{lo, hi}), hi
	}
	y, ticks := plot.FromZero(4, total)
	chart := plot.New(plot.Frame{Name: "code within one cycle", Height: 150, X: plot.Scale{Lo: 0, Hi: length}, Y: y,
		XTicks: plot.TimeTicks(0, length, 6), YTicks: ticks})
	for i, p := range c.Classes {
		chart.Bins(codeClass(p.Name), edges, layers[i][0], layers[i][1])
	}
	return &html.Figure{Title: "One " + string(c.Pattern), Remark: remark,
		SVG: template.HTML(chart.SVG())}
}

// codeClass returns the CSS class for a class of code, which has the same name; an unknown class gets that of unnamed
// code.
func codeClass(name string) string {
	for _, c := range anatomy.Classes() {
		if string(c) == name {
			return name
		}
	}
	return string(anatomy.Unnamed)
}

// key returns the chart's legend: the classes with their colours and shares, without those below minClassShare.
func (c CodeShares) key() []text.Row {
	var out []text.Row
	for _, p := range c.Classes {
		if p.Share >= minClassShare {
			out = append(out, text.Row{text.Swatched(className(p.Name)+" "+c.share(p.Share), codeClass(p.Name))})
		}
	}
	return out
}

// codeRows returns the page's table of functions: a head, a row for each line of the table, and a row for all other
// functions; nil without lines. The interval and the course within a cycle are printed only if cycles were sampled.
func (r Report) codeRows() []text.Row {
	c := r.Code
	lines, others, rest := c.lines()
	if len(lines) == 0 {
		return nil
	}
	print := quantity.Duration
	head := text.Row{text.Left("code"), text.Left("library"), text.Right("CPU time"), text.Right("share")}
	if c.Pattern != "" {
		print = quantity.Period
		head = append(head, text.Right("95 % interval"), text.Left("within "+r.codeSpan()))
	}
	rows := []text.Row{head}
	for _, l := range lines {
		x := text.Row{text.Swatched(l.name, codeClass(l.class)), text.Left(l.library), text.Right(print(l.seconds)),
			text.Right(c.share(l.share))}
		if c.Pattern != "" {
			interval := quantity.Missing
			if l.lo != nil && l.hi != nil && !c.rough() {
				interval = quantity.PeriodRange(*l.lo, *l.hi, l.seconds)
			}
			course := text.Left(notSeparated)
			if len(l.within) > 0 {
				course = text.Cell{Left: true, Wide: true,
					Art: template.HTML(plot.Strip(codeClass(l.class), l.within, l.name+" within one cycle"))}
			}
			x = append(x, text.Right(interval), course)
		}
		rows = append(rows, x)
	}
	if others.Count > 0 {
		x := text.Row{text.Left(quantity.Count(others.Count) + " others"), text.Left(""), text.Right(print(rest)),
			text.Right(c.share(others.Share))}
		if c.Pattern != "" {
			x = append(x, text.Right(""), text.Left(""))
		}
		rows = append(rows, x)
	}
	return rows
}
