package change

import (
	_ "embed"
	"fmt"
	"io"

	"jobgait/reports/html"
)

// Style is what a page adds to the report's style sheet to show timelines.
//
//go:embed history.css
var style string

// Style returns the rules for timelines, for pages that show them.
func Style() string { return style }

// mostPictures bounds a picture of many histories; those that want to be seen come first.
const mostPictures = 60

// Plot writes the timelines as one SVG file that looks after itself.
func Plot(w io.Writer, r Report) error {
	view := DefaultView(r.options)
	view.Machine = r.Machine
	height := view.Height + 20 + 22 // labels above and below
	var p html.Sheet
	drawn, left := 0, 0
	list, _ := r.byWeight()
	for _, s := range list {
		svg := ""
		if drawn < mostPictures {
			svg = Timeline(s, view)
		} else {
			left++
		}
		if svg != "" {
			drawn++
			p.Text(s.caption(), "")
			p.Picture(svg, height)
		}
	}
	switch {
	case drawn == 0:
		p.Text("no runs to draw", "")
	case left > 0:
		p.Text(fmt.Sprintf("and %d more series", left), "")
	}
	if err := p.Write(w, style); err != nil {
		return fmt.Errorf("write picture: %w", err)
	}
	return nil
}

// caption says what became of a history.
func (s Judged) caption() string {
	if len(s.Events) > 0 {
		return s.Title() + ": " + html.Nice(s.Events[0].Text)
	}
	return s.Title() + ": " + s.Status.word()
}
