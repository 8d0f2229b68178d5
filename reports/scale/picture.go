package scale

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"jobgait/analysis/scaling"
	"jobgait/reports"
	"jobgait/reports/plot"
)

// Style is what the classes of Chart need besides the style sheet of the job's
// report, in its variables.
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

// base is what Style builds on, for files that stand alone. Viewers of SVG files
// do not all know variables, so colours are filled in.
const base = `text { font: 12px system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; fill: var(--soft); }
text.mark { fill: var(--warn); font-weight: 600; }
text.title { font-size: 15px; font-weight: 600; fill: var(--ink); }
text.said { fill: var(--ink); }
text.halo { paint-order: stroke; stroke: var(--card); stroke-width: 4px; stroke-linejoin: round; }
.paper { fill: var(--card); }
.grid { stroke: var(--line); stroke-width: 1; fill: none; }
.axis { stroke: var(--soft); stroke-width: 1; }
.line { fill: none; stroke-width: 2; stroke-linejoin: round; stroke-linecap: round; }
.line.c0 { stroke: var(--p0); } .line.c1 { stroke: var(--p1); } .line.c2 { stroke: var(--p2); } .line.c3 { stroke: var(--p3); }
`

// colours in the light and in the dark, as in the report's page.
func colours(dark bool, css string) string {
	list := []string{"--card", "#ffffff", "--ink", "#1b2126", "--soft", "#5d6872", "--line", "#dde2e6", "--warn", "#b8410a",
		"--p0", "#0072b2", "--p1", "#c77800", "--p2", "#00875f", "--p3", "#a8518a"}
	if dark {
		list = []string{"--card", "#191e22", "--ink", "#e4e8eb", "--soft", "#98a4ae", "--line", "#2d353b", "--warn", "#f39a62",
			"--p0", "#5ab4ec", "--p1", "#eda63b", "--p2", "#3cc498", "--p3", "#dd92c1"}
	}
	for i := 0; i < len(list); i += 2 {
		css = strings.ReplaceAll(css, "var("+list[i]+")", list[i+1])
	}
	return css
}

const (
	pictureWidth = 860
	margin       = 30
	lineHeight   = 18
	letters      = 118 // of a line of text
	// mostPictures in one file: more do not fit on any screen.
	mostPictures = 12
)

// Picture writes the results as one SVG file that stands alone, light or dark as
// the viewer is: at most twelve, one below the other, those with a change first.
// It returns how many were left out.
func Picture(w io.Writer, r Report) (left int, err error) {
	var parts []part
	order := r.foremost()
	left = max(0, len(order)-mostPictures)
	for _, i := range order[:len(order)-left] {
		s, obs := r.Results[i], r.Series[i].Observations
		lines := Lines(s, obs)
		parts = append(parts,
			words(wrap(r.title(i)+lines[0], letters*3/4, ""), "title", 16),
			part{svg: Chart(s, obs), left: margin, above: 2, height: chartHeight + 44},
			words(append(key(s, r.Series[i].Metric), wrapAll(lines[1:], letters)...), "said", 2))
	}
	css := base + Style
	css = colours(false, css) + "@media (prefers-color-scheme: dark) {\n" + colours(true, css) + "}\n"
	parts = append(parts, part{height: margin / 2})
	if _, err := io.WriteString(w, standalone(pictureWidth, css, parts)); err != nil {
		return left, fmt.Errorf("write picture: %w", err)
	}
	return left, nil
}

// foremost orders the results: those with a change first, else as they came.
func (r Report) foremost() []int {
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

func wrapAll(lines []string, w int) []string {
	var out []string
	for _, l := range lines {
		out = append(out, wrap(l, w, "  ")...)
	}
	return out
}

// words is lines of text as a part of a picture.
func words(lines []string, class string, above int) part {
	var b strings.Builder
	for i, l := range lines {
		fmt.Fprintf(&b, `<text class="%s" x="0" y="%d">%s</text>`, class, (i+1)*lineHeight-4, plot.Escape(l))
	}
	return part{svg: b.String(), left: margin, above: above, height: lineHeight * len(lines)}
}

// key says what is drawn and what the axes are.
func key(r scaling.Result, metric string) []string {
	s := cmp.Or(reports.Clean(metric), "value") + " over " + cmp.Or(reports.Clean(r.Parameter), "p") + ".  Dots: the mean of each size"
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
	return wrap(s+".", letters, "")
}

// part is a picture or some lines in a file of several.
type part struct {
	svg                 string
	left, above, height int
}

// standalone puts parts one below the other into an SVG file with a style and a
// background of its own.
func standalone(width int, style string, parts []part) string {
	height := 0
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprintf(&b, `<svg x="%d" y="%d" width="%d" height="%d" overflow="visible">%s</svg>`+"\n", p.left, height+p.above, width-2*p.left, p.height, p.svg)
		height += p.above + p.height
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+"\n<style>%s</style>\n"+
		`<rect class="paper" width="%d" height="%d"/>`+"\n%s</svg>\n", width, height, width, height, style, width, height, b.String())
}
