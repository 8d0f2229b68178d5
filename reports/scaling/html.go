package scaling

import (
	"cmp"
	"fmt"
	"io"

	"jobgait/analysis/scaling"
	"jobgait/reports/html"
	"jobgait/reports/text"
)

// Style is the CSS that Chart needs in addition to the style sheet of the job's report, whose variables it
// uses.
const Style = `.line.whole { stroke: var(--soft); stroke-width: 1.4; stroke-dasharray: 6 5; }
.line.foresight { stroke: var(--p3); stroke-dasharray: 2 4; }
.band.foresight { fill: var(--p3); fill-opacity: .18; }
.span.change { fill: var(--warn); fill-opacity: .14; }
.cut { stroke: var(--warn); stroke-width: 1.4; fill: none; }
.runs { stroke: var(--p0); stroke-opacity: .4; stroke-width: 4; stroke-linecap: round; fill: none; }
.scaling .dot { fill: var(--ink); }
.wanted { fill: var(--card); stroke: var(--warn); stroke-width: 1.5; }
text.ask { fill: var(--warn); font-weight: 700; }
`

// mostPictures is the largest number of pictures in one file.
const mostPictures = 12

// Picture writes the results as one self-contained SVG file, light or dark as in the viewer: at most
// mostPictures, one below the other, those with a change first. It returns how many were left out.
func Picture(w io.Writer, r Fits) (left int, err error) {
	var p html.Sheet
	order := r.changedFirst()
	left = max(0, len(order)-mostPictures)
	for _, i := range order[:len(order)-left] {
		s, obs := r.Results[i], r.Series[i].Observations
		lines := Lines(s, obs)
		p.Text("", "")
		p.Text(r.title(i)+lines[0], "")
		p.Picture(Chart(s, obs), chartHeight+44)
		p.Text("", key(s, r.Series[i].Metric))
		for _, l := range lines[1:] {
			p.Text("", l)
		}
	}
	if err := p.Write(w, Style); err != nil {
		return left, fmt.Errorf("write the picture of scaling models: %w", err)
	}
	return left, nil
}

// changedFirst returns the indexes of the results, those with a change first, else in their order.
func (r Fits) changedFirst() []int {
	var first, rest []int
	for i, s := range r.Results {
		if s.Segmented {
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	return append(first, rest...)
}

// key returns the legend: what is drawn and what the axes are.
func key(r scaling.Result, metric string) string {
	s := cmp.Or(text.Clean(metric), "value") + " over " + cmp.Or(text.Clean(r.Parameter), "p") +
		".  Dots: the mean of each size"
	if r.Segmented {
		s += "; coloured lines: the law of each part, dashed: one law for all"
	} else if r.Whole != nil {
		s += "; line: the law"
	}
	if len(r.Predictions) > 0 {
		s += "; band: prediction"
	}
	if len(r.Next) > 0 {
		s += "; ?: to be measured next"
	}
	return s + "."
}
