package html

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"jobgait/reports/plot"
)

// Sheet is a list of pictures and lines of text, one below the other, written as one self-contained SVG file in
// the style of the report's page, light and dark.
type Sheet struct {
	body strings.Builder
	y    int
}

const (
	// sheetWidth is the width of a sheet, sheetMargin its margin at the sides, sheetLine the height of a line, all
	// in pixels.
	sheetWidth  = 980
	sheetMargin = 24
	sheetLine   = 18
	// sheetTop is the room above the first line.
	sheetTop = 10
	// sheetGutter is the room for the labels of the y axis.
	sheetGutter = 44
)

// sheetCSS is the style of the text in a sheet.
const sheetCSS = `svg { font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
.caption { font-size: 14px; font-weight: 600; fill: var(--ink); } .said { fill: var(--ink); }
.paper { fill: var(--card); }
svg.chart:not(.heat) { width: 100%; margin: 0; }
`

// Text adds a line with an optional title before the text.
func (s *Sheet) Text(title, text string) {
	if s.y == 0 {
		s.y = sheetTop
	}
	s.y += sheetLine
	fmt.Fprintf(&s.body, `<text x="%d" y="%d">`, sheetMargin, s.y)
	if title != "" {
		fmt.Fprintf(&s.body, `<tspan class="caption">%s  </tspan>`, plot.Escape(title))
	}
	fmt.Fprintf(&s.body, `<tspan class="said">%s</tspan></text>`, plot.Escape(text))
}

// Picture adds a picture of the given height in pixels.
func (s *Sheet) Picture(svg string, height int) {
	s.y += sheetLine / 3
	fmt.Fprintf(&s.body, `<svg x="%d" y="%d" width="%d" height="%d" overflow="visible">%s</svg>`, sheetMargin+sheetGutter,
		s.y, sheetWidth-2*sheetMargin-sheetGutter, height, svg)
	s.y += height + sheetLine/2
}

// Write writes the sheet with CSS in addition to the page's. It replaces CSS variables by their values, because
// not all SVG viewers support variables.
func (s *Sheet) Write(w io.Writer, style string) error {
	style = pageCSS + sheetCSS + style
	roots := regexp.MustCompile(`:root \{[^}]*\}`).FindAllString(pageCSS, 2)
	css := fillVariables(style, roots[0]) + "@media (prefers-color-scheme: dark) {\n" + fillVariables(style, roots[1]) +
		"}\n"
	height := s.y + sheetMargin
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d">`+
		`<style>%s</style><rect class="paper" width="100%%" height="100%%"/>%s</svg>`+"\n",
		sheetWidth, height, sheetWidth, height, plot.Escape(css), s.body.String())
	return err
}

// fillVariables replaces uses of the variables that the rule root defines by their values.
func fillVariables(css, root string) string {
	for _, v := range regexp.MustCompile(`(--[\w-]+): ([^;]+);`).FindAllStringSubmatch(root, -1) {
		css = strings.ReplaceAll(css, "var("+v[1]+")", v[2])
	}
	return css
}
