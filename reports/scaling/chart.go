package scaling

import (
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
	"jobgait/reports/plot"
)

const (
	chartHeight = 300
	steps       = 240  // points of a model's line
	mostRuns    = 2000 // dots of single runs: with more, none can be distinguished
	mostSizes   = 500  // dots of sizes
	mostTips    = 64   // sizes that have a tooltip each
)

// drawing builds the picture of one result, on logarithmic axes unless a value is not positive.
type drawing struct {
	r       scaling.Result
	p, mean []float64 // distinct sizes and the mean there
	obs     []scaling.Observation
	logY    bool
	chart   *plot.Chart
}

// Chart draws one result as an SVG element for an HTML page: every run, the law of each segment and the law of
// the whole, the change with the uncertainty of its place, the prediction with its interval, and the
// measurements that are missing. Style has the CSS that the page's own style sheet lacks.
func Chart(r scaling.Result, observations []scaling.Observation) string {
	d := newDrawing(r, observations)
	d.change()
	d.band()
	d.models()
	d.measurements()
	d.wanted()
	return d.chart.SVG()
}

// newDrawing returns a drawing of a result that has only axes. It leaves out unusable observations.
func newDrawing(r scaling.Result, observations []scaling.Observation) *drawing {
	d := &drawing{r: r, p: scaling.Sizes(observations), mean: scaling.Means(observations), logY: true}
	for _, o := range observations {
		if !o.Usable() {
			continue
		}
		d.obs = append(d.obs, o)
		d.logY = d.logY && o.Value > 0
	}
	d.frame()
	return d
}

// change shades the range in which the law may change and draws a line at the estimated place.
func (d *drawing) change() {
	for _, c := range d.r.Changes {
		if c.Cut < 1 || c.Cut >= len(d.p) {
			continue
		}
		lo, hi := max(1, min(c.Lo, c.Cut)), min(len(d.p)-1, max(c.Hi, c.Cut))
		from, to, at := math.Log10(d.p[lo-1]), math.Log10(d.p[hi]), (math.Log10(d.p[c.Cut-1])+math.Log10(d.p[c.Cut]))/2
		if c.Common != nil && *c.Common > 0 {
			at = math.Log10(*c.Common)
			from, to = math.Min(from, at), math.Max(to, at)
		}
		d.chart.Span("change", from, to, "", "the law changes "+place(c, d.p))
		d.chart.Mark("cut", at, "change", "the law changes "+place(c, d.p))
	}
}

// band draws the line of the predicted values, the band of the interval Lo..Hi for the mean of one new run, and
// within it, if known, the band of the interval LawLo..LawHi for the fitted law itself, the mean of many runs.
func (d *drawing) band() {
	list := d.r.Predictions
	x, value := make([]float64, len(list)), make([]float64, len(list))
	lo, hi, lawLo, lawHi := make([]float64, len(list)), make([]float64, len(list)), make([]float64, len(list)),
		make([]float64, len(list))
	law := false
	for i, q := range list {
		x[i], value[i] = math.Log10(q.P), d.ordinate(q.Value)
		lo[i], hi[i] = d.end(q.Lo), d.end(q.Hi)
		lawLo[i], lawHi[i] = d.end(q.LawLo), d.end(q.LawHi)
		law = law || q.LawHi > q.LawLo
	}
	d.chart.Band("band foresight", x, lo, hi)
	if law {
		d.chart.Band("band foresight", x, lawLo, lawHi)
	}
	d.chart.Line("line foresight", x, d.chart.Clip(value))
}

// models draws the law of each segment over its sizes, and the law of the whole over all sizes, dashed where it
// is rejected.
func (d *drawing) models() {
	if len(d.p) == 0 {
		return
	}
	if w := d.r.Whole; w != nil {
		class := "line c0"
		if d.r.Segmented {
			class = "line whole"
		}
		d.law(class, *w, d.p[0], d.p[len(d.p)-1])
	}
	for i, g := range d.r.Segments {
		if d.r.Segmented && g.Model != nil && liesWithin(g, d.p) {
			d.law(fmt.Sprintf("line c%d", i%4), *g.Model, d.p[g.First], d.p[g.Last])
		}
	}
}

// law draws the curve of a model from size from to size to, as a line of a CSS class. The curve ends where it leaves
// the chart.
func (d *drawing) law(class string, m scaling.Model, from, to float64) {
	x, y := make([]float64, steps+1), make([]float64, steps+1)
	a, b := math.Log10(from), math.Log10(to)
	for i := range x {
		x[i] = a + (b-a)*float64(i)/steps
		y[i] = d.ordinate(m.At(math.Pow(10, x[i])))
	}
	d.chart.Line(class, x, d.chart.Clip(y))
}

// measurements draws a dot for the mean of each size, and a small dot for each run where sizes have several
// runs.
func (d *drawing) measurements() {
	if len(d.obs) > len(d.p) {
		var x, y []float64
		for _, i := range spread(len(d.obs), mostRuns) {
			x, y = append(x, math.Log10(d.obs[i].P)), append(y, d.ordinate(d.obs[i].Value))
		}
		d.chart.Dots("runs", x, y)
	}
	var x, y []float64
	var tips []string
	for _, i := range spread(len(d.p), mostSizes) {
		x, y = append(x, math.Log10(d.p[i])), append(y, d.ordinate(d.mean[i]))
		if len(d.p) <= mostTips {
			tips = append(tips, quantity.Exact(d.p[i])+": "+quantity.Plain(d.mean[i], 4))
		}
	}
	radius := 4.0
	if len(d.p) > 40 {
		radius = 2.5
	}
	d.chart.Marks("dot", radius, x, y, tips)
}

// wanted draws a question mark at each size that should be measured, at the height that expectedAt returns.
func (d *drawing) wanted() {
	var x, y []float64
	var tips []string
	for _, n := range d.r.Next {
		v := d.expectedAt(n.P)
		if math.IsNaN(v) {
			continue
		}
		x, y, tips = append(x, math.Log10(n.P)), append(y, v), append(tips, "measure next: "+wantedText(n))
	}
	d.chart.Marks("wanted", 8, x, y, tips)
	d.chart.Letters("ask", x, y, "?")
}

// expectedAt returns where on the y axis the value at size p is expected: interpolated between the means of the
// measured sizes and the predictions beyond the largest size. Outside of them it is that of the nearest one;
// NaN for an invalid p or without sizes.
func (d *drawing) expectedAt(p float64) float64 {
	if !(p > 0) || len(d.p) == 0 {
		return math.NaN()
	}
	x := math.Log10(p)
	var xs, ys []float64
	for i, v := range d.p {
		xs, ys = append(xs, math.Log10(v)), append(ys, d.ordinate(d.mean[i]))
	}
	for _, q := range d.r.Predictions {
		if q.P > d.p[len(d.p)-1] {
			xs, ys = append(xs, math.Log10(q.P)), append(ys, d.ordinate(q.Value))
		}
	}
	i, found := slices.BinarySearch(xs, x)
	switch {
	case found:
		return ys[i]
	case i == 0:
		return ys[0]
	case i == len(xs):
		return ys[len(ys)-1]
	}
	return ys[i-1] + (ys[i]-ys[i-1])*(x-xs[i-1])/(xs[i]-xs[i-1])
}
