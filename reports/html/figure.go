package html

import "html/template"

// Figure is a picture with its words: one svg element of package plot.
type Figure struct {
	Title, Remark string
	SVG           template.HTML
}
