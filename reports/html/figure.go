package html

import "html/template"

// Figure is a picture with title and remark: one svg element of package plot.
type Figure struct {
	Title, Remark string
	SVG           template.HTML
}
