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

// Style returns the style sheet of the report's page. Other pages add their own rules to it.
func Style() string { return pageCSS }

//go:embed page.js
var pageJS string

// Script returns the script that shows the values of the timeline under the pointer, without indentation and lines
// that are only a comment: a page is kept small.
func Script() string {
	var b strings.Builder
	for line := range strings.Lines(pageJS) {
		if line = strings.TrimLeft(line, " "); !strings.HasPrefix(line, "//") {
			b.WriteString(line)
		}
	}
	return b.String()
}

//go:embed fragments.html
var fragmentsHTML string

// Parse parses the template of a page. The template can use the fragments "head" (for a Head), "figure" (for a
// Figure) and "table" (for rows of package text), and the function nice.
func Parse(name, page string, funcs template.FuncMap) (*template.Template, error) {
	t, err := template.New("fragments").Funcs(template.FuncMap{"nice": Nice}).Parse(fragmentsHTML)
	if err != nil {
		return nil, err
	}
	return t.New(name).Funcs(funcs).Parse(page)
}

// Head is the data of the head element of a page.
type Head struct {
	Title, Generator string
	Policy           string
	Style            template.CSS
}

// NewHead returns the head of a page with a style sheet and a script; "" for no script.
func NewHead(title, generator, style, script string) Head {
	return Head{Title: title, Generator: generator, Policy: policy(style, script), Style: template.CSS(style)}
}

// Comment returns the comment at the start of a page: what the page is, by which program, and what to do if a
// web portal shows its source. more is added at the end.
func Comment(what, generator, more string) string {
	// A comment must not contain "--", which only the version could contain.
	by := strings.NewReplacer("-", "_", "<", "_", ">", "_").Replace(generator)
	return "<!-- " + what + " by " + by + "\n" +
		"     If you read this, you see the page's source, not the page.\n" +
		"     Download this page and open it in a browser." + more + "\n-->\n"
}

// Nice replaces ASCII sequences of the text by the proper characters: ±, → and a no-break space before %.
func Nice(s string) string {
	return strings.NewReplacer("+-", "±", " -> ", " → ", " %", "\u00a0%").Replace(s)
}

// policy returns a page's content security policy: it allows only the page's own style sheet and script,
// identified by their hashes, and with a script also pictures within the page.
func policy(style, script string) string {
	if script == "" {
		return "default-src 'none'; style-src '" + Hash(style) + "'; base-uri 'none'; form-action 'none'"
	}
	return "default-src 'none'; script-src '" + Hash(script) + "'; style-src '" + Hash(style) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
}

// Hash returns the hash by which a content security policy identifies a style sheet or script.
func Hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
