package main

import (
	"fmt"
	"regexp"
	"strings"
)

// page builds a manual page.
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

// edition is the version and date in the margins of a page.
type edition struct{ version, date string }

// line writes a line of roff.
func (p *page) line(s string) { p.text.WriteString(s + "\n") }

// head begins a section.
func (p *page) head(s string) { p.line(".SH " + quoted(s)) }

// sub begins a subsection.
func (p *page) sub(s string) { p.line(".SS " + quoted(s)) }

// item writes a term and its meaning, indented.
func (p *page) item(term, text string) {
	p.line(".TP\n" + marked(bold(term)))
	p.fill(text)
}

// prose writes the paragraphs of a help text or comment: those with indented lines unchanged, the others
// filled.
func (p *page) prose(text string) {
	for _, par := range strings.Split(strings.Trim(text, "\n"), "\n\n") {
		if regexp.MustCompile(`(?m)^(\t|  )`).MatchString(par) {
			p.verbatim(par)
			continue
		}
		p.line(".PP")
		p.fill(par)
	}
}

// verbatim writes an example with its lines unchanged.
func (p *page) verbatim(text string) {
	p.line(".PP")
	p.lines(text)
}

// fullWidth writes a text of 80 columns with its lines unchanged and no indentation.
func (p *page) fullWidth(text string) {
	p.line(".PP\n.in 0")
	p.lines(text)
	p.line(".in")
}

// lines writes the lines of text so that the page shows them unchanged: without filling, and with the
// characters escaped that roff interprets. Tabs become four spaces.
func (p *page) lines(text string) {
	p.line(".nf")
	for _, l := range strings.Split(strings.ReplaceAll(strings.Trim(text, "\n"), "\t", "    "), "\n") {
		p.line(guardRequest(escape(l)))
	}
	p.line(".fi")
}

// fill writes one filled paragraph.
func (p *page) fill(text string) { p.line(guardRequest(marked(text))) }

// seeAlso writes references to other pages, such as "jobgait.toml(5)".
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

// roffEscapes escapes the characters that roff interprets, or prints as typographic characters that cannot be
// copied into a shell.
var roffEscapes = strings.NewReplacer(`\`, `\e`, `-`, `\-`, `'`, `\(aq`, "`", `\(ga`, `^`, `\(ha`, `~`, `\(ti`)

// escape escapes text for roff.
func escape(s string) string {
	var b strings.Builder
	for _, r := range roffEscapes.Replace(s) {
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

// marked escapes the text of one paragraph and sets `backquoted` words in bold.
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

// guardRequest keeps a line that begins with a dot from being a roff request.
func guardRequest(s string) string {
	if strings.HasPrefix(s, ".") {
		return `\&` + s
	}
	return s
}

// quoted returns a quoted roff argument.
func quoted(s string) string { return `"` + strings.ReplaceAll(escape(s), `"`, `\(dq`) + `"` }
