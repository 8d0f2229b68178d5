package change

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"jobgait/reports"
	"jobgait/reports/plot"
)

// Style is what a page adds to the report's style sheet to show timelines.
//
//go:embed history.css
var style string

// Style returns the rules for timelines, for pages that show them.
func Style() string { return style }

// mostPictures bounds a picture of many histories; those that changed come first.
const mostPictures = 60

// A sheet is the pictures of a file, one below the other.
const (
	sheetWide, sheetMargin = 980, 16
	captionRoom            = 30
)

// sheet collects captions and pictures from the top down.
type sheet struct {
	body strings.Builder
	y    int
}

func (p *sheet) caption(text string) {
	fmt.Fprintf(&p.body, `<text class="caption" x="%d" y="%d">%s</text>`, sheetMargin, p.y+18, plot.Escape(text))
	p.y += captionRoom
}

func (p *sheet) picture(svg string, height int) {
	fmt.Fprintf(&p.body, `<svg x="%d" y="%d" width="%d" height="%d">%s</svg>`, sheetMargin, p.y, sheetWide-2*sheetMargin, height, svg)
	p.y += height
}

// Plot writes the timelines as one SVG file that looks after itself: its own
// style, for light and dark, and no other file.
func Plot(w io.Writer, r Report) error {
	view := DefaultView(r.options)
	view.Machine = r.Machine
	height := view.Height + 20 + 22 + 14 // labels above and below, then air
	p, drawn, left := sheet{y: sheetMargin}, 0, 0
	for _, s := range r.ordered() {
		svg := ""
		if drawn < mostPictures {
			svg = Timeline(s, view)
		} else {
			left++
		}
		if svg != "" {
			drawn++
			p.caption(s.caption())
			p.picture(svg, height)
		}
	}
	switch {
	case drawn == 0:
		p.caption("no runs to draw")
	case left > 0:
		p.caption(fmt.Sprintf("and %d more series", left))
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"><style>%s%s</style><rect width="100%%" height="100%%" fill="var(--card)"/>%s</svg>`+"\n",
		sheetWide, p.y+sheetMargin, sheetWide, p.y+sheetMargin, plot.Escape(reports.Style()), plot.Escape(style), p.body.String())
	if err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}

// caption says what became of a history.
func (s Judged) caption() string {
	if len(s.Events) > 0 {
		return s.Title() + ": " + reports.Nice(s.Events[0].Text)
	}
	return s.Title() + ": " + s.Status.word()
}

// ordered has the histories that changed first, then those to watch.
func (r Report) ordered() []Judged {
	var out []Judged
	for _, status := range []Status{Changed, Watch, Pass, Unknown} {
		out = append(out, r.with(status)...)
	}
	return out
}
