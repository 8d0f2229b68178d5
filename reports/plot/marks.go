package plot

import (
	"fmt"
	"math"
)

// Marks draws a dot of radius r for each finite point inside the scales. Tips
// may be nil.
func (c *Chart) Marks(class string, r float64, x, y []float64, tips []string) {
	c.grid()
	for i := range x {
		at, ok := c.inside(x, y, i)
		if !ok {
			continue
		}
		fmt.Fprintf(&c.outer, `<circle class="%s" cx="%s" cy="%s" r="%s"`, Escape(class), c.percent(x[i]), at,
			formatCoordinate(r))
		if i < len(tips) && tips[i] != "" {
			fmt.Fprintf(&c.outer, `><title>%s</title></circle>`, Escape(tips[i]))
			continue
		}
		c.outer.WriteString(`/>`)
	}
}

// Letters writes a short text centred at each point inside the scales.
func (c *Chart) Letters(class string, x, y []float64, text string) {
	for i := range x {
		if at, ok := c.inside(x, y, i); ok {
			fmt.Fprintf(&c.outer, `<text class="%s" x="%s" y="%s" dy="4" text-anchor="middle">%s</text>`,
				Escape(class), c.percent(x[i]), at, Escape(text))
		}
	}
}

// inside returns the y coordinate of point i, and whether the point exists and lies within the scales.
func (c *Chart) inside(x, y []float64, i int) (string, bool) {
	f := c.frame
	if i >= len(y) || !(x[i] >= f.X.Lo && x[i] <= f.X.Hi && y[i] >= f.Y.Lo && y[i] <= f.Y.Hi) {
		return "", false
	}
	return formatCoordinate(labelAbove + (1-f.Y.At(y[i]))*float64(f.Height)), true
}

// Clip returns y with NaN where it leaves the chart, so that a line ends there
// and does not run along the edge.
func (c *Chart) Clip(y []float64) []float64 {
	out := make([]float64, len(y))
	for i, v := range y {
		if out[i] = v; !(v >= c.frame.Y.Lo && v <= c.frame.Y.Hi) {
			out[i] = math.NaN()
		}
	}
	return out
}
