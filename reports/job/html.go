package job

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"jobgait/reports/html"
)

//go:embed page.html
var pageHTML string

// HTML writes the report as one self-contained page: it needs no network and no other file, and can be read
// without its script, which only shows values under the pointer.
//
// The page begins with a comment for readers whose web portal shows the source.
func HTML(w io.Writer, r Report) error {
	t, err := html.Parse("report", pageHTML, r.pageFuncs())
	if err != nil {
		return fmt.Errorf("internal error, please report it: parse the HTML template of the report: %w", err)
	}
	var b strings.Builder
	b.WriteString(r.htmlComment())
	if err := t.Execute(&b, r); err != nil {
		return fmt.Errorf("internal error, please report it: fill the HTML template with job %s: %w", r.Job.ID, err)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write the HTML report of job %s: %w", r.Job.ID, err)
	}
	return nil
}

// htmlComment returns the comment at the start of the file, which also marks the file as a report.
func (r Report) htmlComment() string {
	more := "There is no text version beside it."
	if name := r.file("txt"); name != "" {
		more = "The text version is " + name + ", beside this file."
	}
	return html.Comment(markedName+version, r.Generator, "\n     "+more)
}
