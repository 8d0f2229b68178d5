package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Frame describes the size and the axes of a chart.
type Frame struct {
	// Name is the text alternative of the picture.
	Name string
	// Class is a CSS class of the picture, for the page's style and script.
	Class string
	// Height is the height of the plot area in pixels, without the labels.
	Height         int
	X, Y           Scale
	XTicks, YTicks []Tick
	// Lanes says that the labels of the y axis are names of lanes, which stand in them. Others stand beside the plot
	// area, where the style sheet leaves room.
	Lanes bool
}

const (
	labelAbove = 20   // pixels above the plot area: names of spans, top tick
	labelBelow = 22   // pixels below it: labels of the x axis
	innerWidth = 1000 // units across the inner viewBox
)

// Chart builds a picture: add layers from back to front.
type Chart struct {
	frame  Frame
	inner  strings.Builder // stretched layer: shapes without text
	outer  strings.Builder // unstretched layer: text and round points
	gridOn bool
}

// New returns an empty chart.
func New(f Frame) *Chart { return &Chart{frame: f} }

// x returns the x coordinate of v in the inner viewBox.
func (c *Chart) x(v float64) string { return formatCoordinate(c.frame.X.At(v) * innerWidth) }

// y returns the y coordinate of v in pixels.
func (c *Chart) y(v float64) string {
	return formatCoordinate((1 - c.frame.Y.At(v)) * float64(c.frame.Height))
}

// percent returns the x coordinate of v in percent of the width.
func (c *Chart) percent(v float64) string { return formatCoordinate(c.frame.X.At(v)*100) + "%" }

// across returns the width of the stretch from lo to hi in the inner viewBox.
func (c *Chart) across(lo, hi float64) string {
	return formatCoordinate((c.frame.X.At(hi) - c.frame.X.At(lo)) * innerWidth)
}

// formatCoordinate writes a coordinate with at most one decimal, a tenth of a pixel.
func formatCoordinate(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }

// letterPercent is the part of a full page's width in percent that one letter takes.
const letterPercent = 0.85

// Span fills a stretch of the x axis from top to bottom. The label is drawn above it if there is room. Labels
// of more than two letters have the class word, which narrow pages hide.
func (c *Chart) Span(class string, lo, hi float64, label, tip string) {
	x0, x1 := c.frame.X.At(lo)*innerWidth, c.frame.X.At(hi)*innerWidth
	fmt.Fprintf(&c.inner, `<rect class="span %s" x="%s" y="0" width="%s" height="%d"><title>%s</title></rect>`,
		Escape(class), formatCoordinate(x0), formatCoordinate(x1-x0), c.frame.Height, Escape(tip))
	letters := len([]rune(label))
	class = "mark"
	if letters > 2 {
		class = "mark word"
	}
	if letters > 0 && (x1-x0)/innerWidth*100 > letterPercent*float64(1+letters) {
		fmt.Fprintf(&c.outer, `<text class="%s" x="%s" y="13" text-anchor="middle" data-lo="%g" data-hi="%g">%s</text>`,
			class, c.percent((lo+hi)/2), lo, hi, Escape(label))
	}
}

// grid draws the lines of the y ticks behind the data, once.
func (c *Chart) grid() {
	if c.gridOn {
		return
	}
	c.gridOn = true
	for _, t := range c.frame.YTicks {
		fmt.Fprintf(&c.inner, `<path class="grid" vector-effect="non-scaling-stroke" d="M0,%sH%d"/>`, c.y(t.Value),
			innerWidth)
	}
}

// Band fills between lo and hi over x. Places with a NaN or an infinite value are left out and divide the
// band.
func (c *Chart) Band(class string, x, lo, hi []float64) {
	c.grid()
	var d strings.Builder
	for _, r := range finiteRuns(len(x), x, lo, hi) {
		for i := r[0]; i < r[1]; i++ {
			d.WriteString(pathVerb(i == r[0]) + c.x(x[i]) + "," + c.y(hi[i]))
		}
		for i := r[1] - 1; i >= r[0]; i-- {
			d.WriteString("L" + c.x(x[i]) + "," + c.y(lo[i]))
		}
		d.WriteString("Z")
	}
	c.path(class, d.String())
}

// Bins fills between lo and hi over bins: bin i reaches from edges[i] to edges[i+1]. A bin between two gaps is
// drawn, whereas a Band would omit it.
func (c *Chart) Bins(class string, edges, lo, hi []float64) {
	c.grid()
	var d strings.Builder
	for _, r := range finiteRuns(len(lo), lo, hi) {
		d.WriteString("M" + c.x(edges[r[0]]) + "," + c.y(hi[r[0]]))
		for i := r[0]; i < r[1]; i++ { // neighbours of one height are one step
			if i+1 == r[1] || c.y(hi[i+1]) != c.y(hi[i]) {
				d.WriteString("V" + c.y(hi[i]) + "H" + c.x(edges[i+1]))
			}
		}
		for i := r[1] - 1; i >= r[0]; i-- {
			if i == r[0] || c.y(lo[i-1]) != c.y(lo[i]) {
				d.WriteString("V" + c.y(lo[i]) + "H" + c.x(edges[i]))
			}
		}
		d.WriteString("Z")
	}
	c.path(class, d.String())
}

// Line joins the points; a NaN ends the line and the next point begins another.
func (c *Chart) Line(class string, x, y []float64) {
	c.grid()
	var d strings.Builder
	for _, r := range finiteRuns(len(x), x, y) {
		for i := r[0]; i < r[1]; i++ {
			d.WriteString(pathVerb(i == r[0]) + c.x(x[i]) + "," + c.y(y[i]))
		}
		if r[1]-r[0] == 1 { // a lone point: a dash as long as a round cap makes it
			d.WriteString("h0")
		}
	}
	c.path(class, d.String())
}

// Points draws a dot for each finite point, each with its own tooltip and class.
func (c *Chart) Points(class []string, x, y []float64, tips []string) {
	c.grid()
	for _, r := range finiteRuns(len(x), x, y) {
		for i := r[0]; i < r[1]; i++ {
			fmt.Fprintf(&c.outer, `<circle class="%s" cx="%s" cy="%s" r="4"><title>%s</title></circle>`,
				Escape(class[i]), c.percent(x[i]), formatCoordinate(labelAbove+(1-c.frame.Y.At(y[i]))*float64(c.frame.Height)),
				Escape(tips[i]))
		}
	}
}

// Bars draws bar i from 0 to y[i] over x from i to i+1. An unknown value has no bar.
func (c *Chart) Bars(class []string, y []float64, tips []string) {
	c.grid()
	const gap = 0.15 // of the width per bar
	for i, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		top := (1 - c.frame.Y.At(v)) * float64(c.frame.Height)
		fmt.Fprintf(&c.inner, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"><title>%s</title></rect>`,
			Escape(class[i]), c.x(float64(i)+gap/2), formatCoordinate(top), c.across(float64(i)+gap/2, float64(i+1)-gap/2),
			formatCoordinate(float64(c.frame.Height)-top), Escape(tips[i]))
	}
}

// path draws a path in the inner layer, unless d is "".
func (c *Chart) path(class, d string) {
	if d != "" {
		fmt.Fprintf(&c.inner, `<path class="%s" vector-effect="non-scaling-stroke" d="%s"/>`, Escape(class), d)
	}
}

// pathVerb returns the SVG path command for a point: M for the first point, else L.
func pathVerb(first bool) string {
	if first {
		return "M"
	}
	return "L"
}

// finiteRuns returns the half-open index ranges in which all lists are finite.
func finiteRuns(n int, lists ...[]float64) [][2]int {
	var runs [][2]int
	start := -1
	for i := 0; i <= n; i++ {
		ok := i < n
		for _, l := range lists {
			ok = ok && i < len(l) && !math.IsNaN(l[i]) && !math.IsInf(l[i], 0)
		}
		switch {
		case ok && start < 0:
			start = i
		case !ok && start >= 0:
			runs = append(runs, [2]int{start, i})
			start = -1
		}
	}
	return runs
}
