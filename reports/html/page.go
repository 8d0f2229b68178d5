package html

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"strings"
)

//go:embed page.css
var pageCSS string

// Style is the style sheet of the report's page. Other pages begin with it and
// add what they draw besides.
func Style() string { return pageCSS }

//go:embed page.js
var pageJS string

// Script reads off values of the timeline under the pointer.
func Script() string { return pageJS }

//go:embed fragments.html
var fragmentsHTML string

// Parse parses the template of a page, to which the fragments "head" (of a Head),
// "figure" (of a Figure), "table" (of rows of package text) and the function nice
// are known.
func Parse(name, page string, funcs template.FuncMap) (*template.Template, error) {
	t, err := template.New("fragments").Funcs(template.FuncMap{"nice": Nice}).Parse(fragmentsHTML)
	if err != nil {
		return nil, err
	}
	return t.New(name).Funcs(funcs).Parse(page)
}

// Head is what stands in the head of a page.
type Head struct {
	Title, Generator string
	Policy           string
	Style            template.CSS
}

// NewHead returns the head of a page with a style sheet and a script, "" for none.
func NewHead(title, generator, style, script string) Head {
	return Head{Title: title, Generator: generator, Policy: policy(style, script), Style: template.CSS(style)}
}

// Comment is the first thing in a page: what it is, by which program, and what a
// reader does to whom a web portal shows the source. more continues the sentence.
func Comment(what, generator, more string) string {
	// A comment must not hold "--": only the version could bring one.
	by := strings.NewReplacer("-", "_", "<", "_", ">", "_").Replace(generator)
	return "<!-- " + what + " by " + by + "\n" +
		"     If you read this, you see the page's source, not the page.\n" +
		"     Download this page and open it in a browser." + more + "\n-->\n"
}

// Nice replaces what text writes in ASCII by the signs that a browser has.
func Nice(s string) string {
	return strings.NewReplacer("+-", "±", " -> ", " → ", " %", "\u00a0%").Replace(s)
}

// policy is a page's content security policy: its own style sheet and script alone,
// known by their hashes, and with the script pictures within the page.
func policy(style, script string) string {
	if script == "" {
		return "default-src 'none'; style-src '" + Hash(style) + "'; base-uri 'none'; form-action 'none'"
	}
	return "default-src 'none'; script-src '" + Hash(script) + "'; style-src '" + Hash(style) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

// Hash is how a content security policy names a style sheet or a script.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
