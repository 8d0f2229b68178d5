package job

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageHTML string

// HTML writes the report as one page that needs nothing else: no network, no
// script (there is a small one for reading off values), no other file.
//
// It begins with a comment for those to whom a web portal shows the source.
func HTML(w io.Writer, r Report) error {
	t, err := template.New("report").Funcs(r.pageFuncs()).Parse(pageHTML)
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

// htmlComment is the first thing in the file, and our mark.
func (r Report) htmlComment() string {
	text := "There is no text version beside it."
	if name := r.file("txt"); name != "" {
		text = "The text version is " + name + ", beside this file."
	}
	// A comment must not hold "--": only the version could bring one.
	by := strings.NewReplacer("-", "_", ">", "_").Replace(r.Generator)
	return htmlMark + version + " by " + by + "\n" +
		"     If you read this, you see the page's source, not the page.\n" +
		"     Download this page and open it in a browser.\n     " + text + "\n-->\n"
}
