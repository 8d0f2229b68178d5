package plot

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// The layers of a history's picture. Many runs are one path each layer: an
// element per run would make a page of forty histories a megabyte.

// Dots draws a round dot for each finite point, all in one path. Their size is the stroke width of the class.
// Coordinates are whole units, at most a pixel: decimals would add four bytes to the eight of a dot.
func (c *Chart) Dots(class string, x, y []float64) {
	c.grid()
	var d strings.Builder
	for _, r := range finiteRuns(len(x), x, y) {
		for i := r[0]; i < r[1]; i++ {
			d.WriteString("M" + formatWhole(c.frame.X.At(x[i])*innerWidth) + "," +
				formatWhole((1-c.frame.Y.At(y[i]))*float64(c.frame.Height)) + "h0")
		}
	}
	c.path(class, d.String())
}

// formatWhole writes a coordinate rounded to a whole number.
func formatWhole(v float64) string { return strconv.FormatFloat(math.Round(v), 'f', -1, 64) }

// Box is a rectangle in data coordinates.
type Box struct{ X0, X1, Y0, Y1 float64 }

// Boxes fills rectangles, all in one path.
func (c *Chart) Boxes(class string, boxes []Box) {
	c.grid()
	var d strings.Builder
	for _, b := range boxes {
		d.WriteString("M" + c.x(b.X0) + "," + c.y(b.Y0) + "H" + c.x(b.X1) + "V" + c.y(b.Y1) + "H" + c.x(b.X0) + "Z")
	}
	c.path(class, d.String())
}

// Levels draws horizontal lines from X0 to X1 at Y0, all in one path.
func (c *Chart) Levels(class string, boxes []Box) {
	c.grid()
	var d strings.Builder
	for _, b := range boxes {
		d.WriteString("M" + c.x(b.X0) + "," + c.y(b.Y0) + "H" + c.x(b.X1))
	}
	c.path(class, d.String())
}

// Mark draws a line from top to bottom at x, with a label above it and a tip on
// the label. Without a label there is only the line.
func (c *Chart) Mark(class string, x float64, label, tip string) {
	fmt.Fprintf(&c.inner, `<path class="%s" vector-effect="non-scaling-stroke" d="M%s,0v%d"/>`, Escape(class), c.x(x),
		c.frame.Height)
	if label != "" {
		fmt.Fprintf(&c.outer, `<text class="mark" x="%s" y="13" text-anchor="%s">%s<title>%s</title></text>`,
			c.percent(x), anchor(c.frame.X.At(x)), Escape(label), Escape(tip))
	}
}

// Strips draws invisible strips over the full height of the picture, each with a tooltip: strip i reaches from
// edges[i] to edges[i+1]. A strip without a tip is left out.
func (c *Chart) Strips(edges []float64, tips []string) {
	some := false
	for i, tip := range tips {
		if tip == "" {
			continue
		}
		if !some {
			c.inner.WriteString(`<g class="tips">`)
			some = true
		}
		from, to := formatWhole(c.frame.X.At(edges[i])*innerWidth), formatWhole(c.frame.X.At(edges[i+1])*innerWidth)
		fmt.Fprintf(&c.inner, `<path d="M%s,0H%sV%dH%s"><title>%s</title></path>`, from, to, c.frame.Height, from,
			Escape(tip))
	}
	if some {
		c.inner.WriteString(`</g>`)
	}
}
