package text

import (
	"html/template"

	"jobgait/reports/plot"
)

// Row is one line of a table, the same in text and HTML; the first row is the header.
type Row []Cell

// Cell is one cell of a table.
type Cell struct {
	Text string
	Left bool // flush left; numbers are flush right
	// Art is a picture that HTML shows beside the text.
	Art  template.HTML
	Wide bool // marks the column of a picture, which the text leaves out
}

// Left returns a flush-left cell.
func Left(s string) Cell { return Cell{Text: s, Left: true} }

// Right returns a flush-right cell.
func Right(s string) Cell { return Cell{Text: s} }

// Swatched returns a flush-left cell to which HTML adds a square in the colour of the class.
func Swatched(s, class string) Cell {
	return Cell{Text: s, Left: true, Art: template.HTML(plot.Swatch(class))}
}
