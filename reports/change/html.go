package change

import (
	_ "embed"
	"fmt"
	"io"

	"jobgait/reports/html"
)

// style is the CSS that a page adds to the report's style sheet to show timelines.
//
//go:embed history.css
var style string

// Style returns the CSS that a page needs to show timelines.
func Style() string { return style }

// maxPictures is the largest number of histories that Plot draws; the most important come first.
const maxPictures = 60

// Plot writes the timelines of the maxPictures most important histories as one self-contained SVG file.
func Plot(w io.Writer, r Report) error {
	view := DefaultView(r.options)
	view.Machine = r.Machine
	height := view.Height + 20 + 22 // labels above and below
	var p html.Sheet
	drawn, left := 0, 0
	list, _ := r.byWeight()
	for _, s := range list {
		svg := ""
		if drawn < maxPictures {
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
		return fmt.Errorf("write the picture of changes: %w", err)
	}
	return nil
}

// caption returns the title of a history and its newest event.
func (s JudgedHistory) caption() string {
	if len(s.Events) > 0 {
		return s.Title() + ": " + html.Nice(s.Events[0].Text)
	}
	return s.Title() + ": " + s.StatusText()
}
