package text

import (
	"html/template"

	"jobgait/reports/plot"
)

// row is one line of a table, the same in text and HTML; the first is the head.
type Row []Cell

// cell is one cell of a table.
type Cell struct {
	Text string
	Left bool // flush left; numbers are flush right
	// Art is a picture that HTML shows behind the text.
	Art  template.HTML
	Wide bool // the column of a picture, which text has not
}

func Left(s string) Cell { return Cell{Text: s, Left: true} }

func Right(s string) Cell { return Cell{Text: s} }

// swatched is a cell that HTML gives the colour of the charts.
func Swatched(s, class string) Cell {
	return Cell{Text: s, Left: true, Art: template.HTML(plot.Swatch(class))}
}
