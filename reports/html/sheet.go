package html

import (
	"fmt"
	"io"
	"regexp"
	"strings"

	"jobgait/reports/plot"
	"jobgait/reports/text"
)

// Sheet is a list of pictures and texts, one below the other, written as one self-contained SVG file in the style of
// the report's page, light and dark. In a window narrower than sheetWidth the pictures become narrower; text keeps its
// size, and its lines fit into the width of a phone.
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
	// panelLeft and panelWidth are the left edge and the width of a picture in percent of the sheet's width: at 400
	// pixels there are 60 for the labels of the y axis.
	panelLeft, panelWidth = 15.0, 82.0
	// titleColumns and textColumns are the largest numbers of characters in a line of bold and of plain text: about the
	// width of a phone, 400 pixels.
	titleColumns, textColumns = 44, 54
)

// sheetCSS is the style of the text in a sheet, and of a sheet in a narrow window.
const sheetCSS = `svg { font-family: system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
.caption { font-size: 14px; font-weight: 600; fill: var(--ink); } .said { fill: var(--ink); }
.paper { fill: var(--card); }
svg.chart:not(.heat) { width: 100%; margin: 0; }
`

// narrowCSS returns the style of a sheet in a window narrower than sheetWidth.
func narrowCSS() string {
	return fmt.Sprintf("@media (max-width: %dpx) { svg:root { width: 100%%; } }\n", sheetWidth-1)
}

// Text adds a title, "" for none, and below it a text, each in as many lines as it needs; an empty line if both are "".
func (s *Sheet) Text(title, words string) {
	if s.y == 0 {
		s.y = sheetTop
	}
	if title == "" && words == "" {
		s.y += sheetLine
	}
	s.lines("caption", text.Wrap(title, titleColumns))
	s.lines("said", text.Wrap(words, textColumns))
}

// lines adds lines of text of a class.
func (s *Sheet) lines(class string, lines []string) {
	for _, l := range lines {
		s.y += sheetLine
		fmt.Fprintf(&s.body, `<text class="%s" x="%d" y="%d">%s</text>`, class, sheetMargin, s.y, plot.Escape(l))
	}
}

// Picture adds a picture of the given height in pixels.
func (s *Sheet) Picture(svg string, height int) {
	s.y += sheetLine / 3
	fmt.Fprintf(&s.body, `<svg x="%g%%" y="%d" width="%g%%" height="%d" overflow="visible">%s</svg>`, panelLeft, s.y,
		panelWidth, height, svg)
	s.y += height + sheetLine/2
}

// Write writes the sheet with CSS in addition to the page's. It replaces CSS variables by their values, because
// not all SVG viewers support variables.
func (s *Sheet) Write(w io.Writer, style string) error {
	style = pageCSS + sheetCSS + style + narrowCSS()
	roots := regexp.MustCompile(`:root \{[^}]*\}`).FindAllString(pageCSS, 2)
	css := fillVariables(style, roots[0]) + "@media (prefers-color-scheme: dark) {\n" + fillVariables(style, roots[1]) +
		"}\n"
	height := s.y + sheetMargin
	// Without a viewBox, which would shrink the text in a narrow window.
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d">`+
		`<style>%s</style><rect class="paper" width="100%%" height="100%%"/>%s</svg>`+"\n",
		sheetWidth, height, plot.Escape(css), s.body.String())
	return err
}

// fillVariables replaces uses of the variables that the rule root defines by their values.
func fillVariables(css, root string) string {
	for _, v := range regexp.MustCompile(`(--[\w-]+): ([^;]+);`).FindAllStringSubmatch(root, -1) {
		css = strings.ReplaceAll(css, "var("+v[1]+")", v[2])
	}
	return css
}
