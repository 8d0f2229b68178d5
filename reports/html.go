package reports

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

// Style is the style sheet of the report's page. Other pages begin with it and
// add what they draw besides.
func Style() string { return pageCSS }

//go:embed page.js
var pageJS string

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

// Nice replaces what text writes in ASCII by the signs that a browser has.
func Nice(s string) string {
	return strings.NewReplacer("+-", "±", " -> ", " → ", " %", "\u00a0%").Replace(s)
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

// policy is the page's content security policy: only our own style and script,
// known by their hashes, and pictures within the page.
func policy(css string) string {
	return "default-src 'none'; script-src '" + Hash(pageJS) + "'; style-src '" + Hash(css) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

// Hash is how a content security policy names a style sheet or a script.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
