package main

import (
	"fmt"
	"regexp"
	"strings"
)

// page is a manual page in the making.
type page struct {
	name, section string
	text          strings.Builder
}

// newPage begins a page; date may be "".
func newPage(name, section, summary string, of edition) *page {
	p := &page{name: name, section: section}
	fmt.Fprintf(&p.text, ".TH %s %s \"%s\" \"jobgait %s\" jobgait\n", strings.ToUpper(name), section, of.date, of.version)
	p.head("NAME")
	p.line(name + " \\- " + escape(summary))
	return p
}

// edition is what a page says of itself in its margins.
type edition struct{ version, date string }

// line writes text that is roff already.
func (p *page) line(s string) { p.text.WriteString(s + "\n") }

func (p *page) head(s string) { p.line(".SH " + quoted(s)) }
func (p *page) sub(s string)  { p.line(".SS " + quoted(s)) }

// item is a term and what it means, indented.
func (p *page) item(term, text string) {
	p.line(".TP\n" + marked(bold(term)))
	p.fill(text)
}

// prose writes paragraphs as a help text or a comment has them: those with
// indented lines are kept as they are, the others filled.
func (p *page) prose(text string) {
	for _, par := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if regexp.MustCompile(`(?m)^(\t|  )`).MatchString(par) {
			p.asIs(par)
			continue
		}
		p.line(".PP")
		p.fill(par)
	}
}

// asIs keeps the lines of an example.
func (p *page) asIs(text string) {
	p.line(".PP")
	p.lines(text)
}

// wide keeps the lines of a text of 80 columns, from the first column on.
func (p *page) wide(text string) {
	p.line(".PP\n.in 0")
	p.lines(text)
	p.line(".in")
}

func (p *page) lines(text string) {
	p.line(".nf")
	for _, l := range strings.Split(strings.ReplaceAll(strings.Trim(text, "\n"), "\t", "    "), "\n") {
		p.line(guard(escape(l)))
	}
	p.line(".fi")
}

// fill writes one paragraph.
func (p *page) fill(text string) { p.line(guard(marked(text))) }

// pages are references to others: "jobgait.toml(5)".
func (p *page) seeAlso(pages ...string) {
	p.head("SEE ALSO")
	for i, s := range pages {
		name, section, _ := strings.Cut(s, "(")
		if i < len(pages)-1 {
			section += ","
		}
		p.line(".BR " + escape(name) + " (" + section)
	}
}

// special are the bytes that roff takes for something else, or prints as
// typographic signs that cannot be copied into a shell.
var special = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`)

func escape(s string) string {
	var b strings.Builder
	for _, r := range special.Replace(s) {
		if r < 128 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	return b.String()
}

// bold marks a term for marked.
func bold(s string) string { return "`" + s + "`" }

// marked escapes a text of one paragraph and sets in bold what is in `backquotes`.
func marked(s string) string {
	var b strings.Builder
	for i, part := range strings.Split(strings.Join(strings.Fields(s), " "), "`") {
		if i%2 == 1 {
			part = `\fB` + escape(part) + `\fR`
		} else {
			part = escape(part)
		}
		b.WriteString(part)
	}
	return b.String()
}

// guard keeps a line from being a request.
func guard(s string) string {
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}

func quoted(s string) string { return `"` + strings.ReplaceAll(escape(s), `"`, `\(dq`) + `"` }
