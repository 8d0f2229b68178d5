package plot

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Size returns the height of the picture in pixels.
func (c *Chart) Size() int { return labelAbove + c.frame.Height + labelBelow }

// SVG returns the picture as one svg element.
func (c *Chart) SVG() string {
	c.grid()
	f := c.frame
	bottom := labelAbove + f.Height
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="chart %s" role="img" width="100%%" height="%d" `+
		`data-lo="%g" data-hi="%g"><title>%s</title>`,
		Escape(f.Class), c.Size(), f.X.Lo, f.X.Hi, Escape(f.Name))
	fmt.Fprintf(&b, `<svg class="data" x="0" y="%d" width="100%%" height="%d" viewBox="0 0 %d %d" `+
		`preserveAspectRatio="none">%s</svg>`,
		labelAbove, f.Height, innerWidth, f.Height, c.inner.String())
	fmt.Fprintf(&b, `<line class="axis" x1="0" x2="100%%" y1="%d" y2="%d"/>`, bottom, bottom)
	b.WriteString(c.outer.String())
	for _, t := range f.YTicks {
		y := float64(labelAbove) + (1-f.Y.At(t.Value))*float64(f.Height)
		if f.Lanes {
			fmt.Fprintf(&b, `<text class="tick halo" x="2" y="%s">%s</text>`, formatCoordinate(y-3), Escape(t.Label))
			continue
		}
		fmt.Fprintf(&b, `<text class="tick y" x="-6" y="%s">%s</text>`, formatCoordinate(y+4), Escape(t.Label))
	}
	b.WriteString(`<g class="xticks">`)
	for i, t := range f.XTicks {
		fmt.Fprintf(&b, `<text class="tick%s" x="%s" y="%d" text-anchor="%s">%s</text>`,
			alternateClass(i, len(f.XTicks)), c.percent(t.Value), bottom+15, anchor(f.X.At(t.Value)), Escape(t.Label))
	}
	b.WriteString(`</g></svg>`)
	return b.String()
}

// alternateClass returns the class for every second of many labels, which narrow pages hide.
func alternateClass(i, of int) string {
	if i%2 == 1 && of > 3 {
		return " second"
	}
	return ""
}

// anchor returns the text-anchor that keeps labels at both ends inside the picture.
func anchor(at float64) string {
	switch {
	case at < 0.05: // half of "80 ms" on a narrow page
		return "start"
	case at > 0.95:
		return "end"
	}
	return "middle"
}

// Meter returns a bar of one value on a scale from 0 to hi, for a table's cell.
func Meter(class string, value, hi float64, tip string) string {
	at := Scale{0, hi}.At(value) * 100
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="meter" role="img" width="100%%" height="12">`+
		`<title>%s</title>`+
		`<rect class="rail" x="0" y="0" width="100%%" height="12" rx="2"/><rect class="%s" x="0" y="0" width="%s%%" `+
		`height="12" rx="2"/></svg>`,
		Escape(tip), Escape(class), formatCoordinate(at))
}

// Strip returns adjacent bars on a scale from 0 to the largest value, for a table's cell.
func Strip(class string, values []float64, tip string) string {
	hi := 0.0
	for _, v := range values {
		hi = max(hi, v)
	}
	const height = 16
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="strip" role="img" width="100%%" height="%d" `+
		`viewBox="0 0 %d %d" preserveAspectRatio="none"><title>%s</title>`,
		height, len(values), height, Escape(tip))
	for i, v := range values {
		if at := (Scale{0, hi}).At(v) * height; at >= 0.3 {
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%s" width="1" height="%s"/>`, Escape(class), i,
				formatCoordinate(height-at),
				formatCoordinate(at))
		}
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// Swatch returns a small square in the colour of a class, for legends and tables.
func Swatch(class string) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="swatch" width="11" height="11" aria-hidden="true">`+
		`<rect class="swatch %s" x="0" y="0" width="11" height="11" rx="2"/></svg>`, Escape(class))
}

// Escape makes text safe in XML content and attributes. Characters that XML does not allow (control characters,
// broken UTF-8) become U+FFFD.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&#34;")
		case r == '\'':
			b.WriteString("&#39;")
		case r < 0x20 && r != '\t' && r != '\n', r == 0x7f, r == 0xfffe, r == 0xffff, r == utf8.RuneError:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
