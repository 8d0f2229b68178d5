package html

import "html/template"

// Chart is a picture with its words: one svg element of package plot.
type Chart struct {
	Title, Remark string
	SVG           template.HTML
}
