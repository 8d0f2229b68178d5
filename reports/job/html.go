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

// HTML writes the report as one page that needs nothing else: no network, no
// script (there is a small one for reading off values), no other file.
//
// It begins with a comment for those to whom a web portal shows the source.
func HTML(w io.Writer, r Report) error {
	t, err := html.Parse("report", pageHTML, r.pageFuncs())
	if err != nil {
		return fmt.Errorf("parse the report's page: %w", err)
	}
	var b strings.Builder
	b.WriteString(r.htmlComment())
	if err := t.Execute(&b, r); err != nil {
		return fmt.Errorf("fill the page of job %s: %w", r.Job.ID, err)
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write page of job %s: %w", r.Job.ID, err)
	}
	return nil
}

// htmlComment is the first thing in the file, and the mark of a report.
func (r Report) htmlComment() string {
	more := "There is no text version beside it."
	if name := r.file("txt"); name != "" {
		more = "The text version is " + name + ", beside this file."
	}
	return html.Comment(markedName+version, r.Generator, "\n     "+more)
}
