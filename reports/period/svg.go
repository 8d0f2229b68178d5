package period

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strings"

	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
	"jobgait/reports/plot"
)

// The picture is a column of panels of one width; every one has a title line.
const (
	pageWidth   = 960
	margin      = 24
	titleHeight = 26
	panelGap    = 14
	maxBins     = 936 // one per pixel
	maxDrawn    = 6   // patterns: more would not be read
)

// style is that of the picture, which has to stand alone.
const style = `svg{font:12px system-ui,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif;fill:#1b2126}
.page{fill:#fff}.grid{stroke:#dde2e6;fill:none}.axis{stroke:#5d6872}.tick,.mark{fill:#5d6872;font-size:11px}
.halo{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
h1,.name{font-size:15px;font-weight:600}.title{font-weight:600}.soft{fill:#5d6872}
.band{fill:#0072b2;fill-opacity:.22}.line{fill:none;stroke:#0072b2;stroke-width:1.6}.dots{fill:none;stroke:#0072b2;stroke-width:3;stroke-linecap:round}
.most{stroke-opacity:.3}.step{fill:#b8410a;fill-opacity:.8}
.span{fill-opacity:.13}.loop0{fill:#0072b2}.loop1{fill:#c77800}.loop2{fill:#00875f}.loop3{fill:#a8518a}.other{fill:#5d6872;fill-opacity:.05}.low{fill:#5d6872;fill-opacity:.16}`

// SVG writes one picture: the column over time with the phases behind it, the
// shape of every pattern with its low regions, and the lengths of its iterations.
func (r Report) SVG(w io.Writer) error {
	p := page{y: margin}
	p.heading(r)
	if c, ok := r.drawn(); ok {
		p.panel("over time", c.Name, r.timeline(c))
	}
	for i, q := range r.Patterns {
		if i == maxDrawn {
			break
		}
		p.panel(fmt.Sprintf("pattern %s: %s", q.ID, quantity.Period(q.PeriodS)), fmt.Sprintf("%s, %s; band: 10th to 90th percentile", q.ValuesColumn, quantity.Plural(q.Count, "cycle")), q.shape())
		if q.Count > 2 {
			p.panel("length of cycles of "+q.ID, "over time", r.lengths(q))
		}
	}
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"><style>%s</style><rect class="page" width="100%%" height="100%%"/>`,
		pageWidth, p.y+margin, pageWidth, p.y+margin, style)
	b.WriteString(p.body.String())
	b.WriteString("</svg>\n")
	return b.Flush()
}

// page is a picture in the making, from top to bottom.
type page struct {
	body strings.Builder
	y    int
}

func (p *page) heading(r Report) {
	text := r.name
	if len(r.Patterns) == 0 {
		text += ": no period"
		if n := len(r.Notes); n > 0 {
			text += " (" + string(r.Notes[n-1].Code) + ")"
		}
	}
	fmt.Fprintf(&p.body, `<text class="name" x="%d" y="%d">%s</text>`, margin, p.y+14, plot.Escape(text))
	p.y += titleHeight
}

func (p *page) panel(title, soft string, chart *plot.Chart) {
	if chart == nil {
		return
	}
	fmt.Fprintf(&p.body, `<text x="%d" y="%d"><tspan class="title">%s</tspan><tspan class="soft" dx="8">%s</tspan></text>`,
		margin, p.y+14, plot.Escape(title), plot.Escape(soft))
	p.y += titleHeight - 8
	fmt.Fprintf(&p.body, `<svg x="%d" y="%d" width="%d" height="%d">%s</svg>`, margin, p.y, pageWidth-2*margin, chart.Size(), chart.SVG())
	p.y += chart.Size() + panelGap
}

// drawn is the column whose shape is drawn, or the first.
func (r Report) drawn() (series.Column, bool) {
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

// timeline draws a column: its mean, and what lies between its smallest and largest
// values as a band where more than one sample falls into a pixel.
func (r Report) timeline(c series.Column) *plot.Chart {
	n := len(c.Values)
	bins := min(n, maxBins)
	end := float64(n) * r.set.StepS
	edges, x := make([]float64, bins+1), make([]float64, bins)
	for k := range bins {
		edges[k], edges[k+1] = float64(k*n/bins)*r.set.StepS, float64((k+1)*n/bins)*r.set.StepS
		x[k] = (edges[k] + edges[k+1]) / 2
	}
	lo, mean, hi := series.Parts(numbers{c.Values, r.shift[c.Name]}.floats(), bins)
	y, ticks := span(3, lo, hi)
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

func (r Report) class(p phase.Phase) string {
	if p.Kind == phase.Loop {
		for i, q := range r.Patterns {
			if q.ID == p.Pattern {
				return fmt.Sprintf("loop%d", i%4)
			}
		}
	}
	return "other"
}

func label(p phase.Phase) string {
	if p.Kind == phase.Loop {
		return p.Pattern
	}
	return string(p.Kind)
}

// span is a scale from zero where the values are not far from it, else around them.
func span(want int, lists ...[]float64) (plot.Scale, []plot.Tick) {
	if lo, hi, _ := plot.Extent(lists...); lo >= 0 && lo <= 0.5*hi {
		return plot.FromZero(want, lists...)
	}
	return plot.Between(want, lists...)
}

// shape draws one pattern.
func (q Pattern) shape() *plot.Chart {
	n := len(q.Values.v)
	if n < 2 {
		return nil
	}
	x := make([]float64, n)
	for i := range x {
		x[i] = (float64(i) + 0.5) * q.PeriodS / float64(n)
	}
	v, lo, hi := q.Values.floats(), q.P10.floats(), q.P90.floats()
	y, ticks := span(3, v, lo, hi)
	chart := plot.New(plot.Frame{Name: "pattern " + q.ID, Height: 170, X: plot.Scale{Lo: 0, Hi: q.PeriodS}, Y: y,
		XTicks: plot.TimeTicks(0, q.PeriodS, 8), YTicks: ticks})
	for _, l := range q.Low {
		tip := fmt.Sprintf("low for %s in %s of the cycles", quantity.Duration(l.DurationS), quantity.Share(l.Repeatability))
		name := "low " + quantity.Share(l.Share)
		end := l.OffsetS + l.DurationS
		chart.Span("low", l.OffsetS, min(end, q.PeriodS), name, tip)
		if end > q.PeriodS {
			chart.Span("low", 0, end-q.PeriodS, "", tip)
		}
	}
	chart.Band("band", x, lo, hi)
	chart.Line("line", x, v)
	return chart
}

func (n numbers) floats() []float64 {
	out := make([]float64, len(n.v))
	for i, v := range n.v {
		out[i] = float64(v) + n.shift
	}
	return out
}

// maxDots bounds the iterations that are drawn one by one.
const maxDots = 1500

// lengths draws how long each iteration took; of more than maxDots the mean and
// the longest of neighbours.
func (r Report) lengths(q Pattern) *plot.Chart {
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
	_, mean, most := series.Parts(long, bins)
	y, ticks := span(2, mean, most)
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
		chart.Line("dots most", apart(x), apart(most))
	}
	chart.Line("dots", apart(x), apart(mean))
	return chart
}

// apart puts a missing value between all points, so that none are joined: a line
// over a gap would invent iterations.
func apart(x []float64) []float64 {
	out := make([]float64, 0, 2*len(x))
	for _, v := range x {
		out = append(out, v, math.NaN())
	}
	return out
}
