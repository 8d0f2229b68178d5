package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"

	"jobgait/analysis/finding"
	"jobgait/reports"
)

// noteGroup is one const block of analysis/note.
type noteGroup struct {
	about string
	codes []code
}

// code is that of a note, and what it says.
type code struct{ name, text string }

// parseNotes reads the codes from a source file of analysis/note, where each has
// its meaning behind it.
func parseNotes(name string, source []byte) ([]noteGroup, error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var groups []noteGroup
	for _, d := range file.Decls {
		block, ok := d.(*ast.GenDecl)
		if !ok || block.Tok != token.CONST {
			continue
		}
		g := noteGroup{about: block.Doc.Text()}
		for _, s := range block.Specs {
			c := s.(*ast.ValueSpec)
			if id, ok := c.Type.(*ast.Ident); !ok || id.Name != "Code" {
				continue
			}
			name, err := strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				return nil, fmt.Errorf("%s: %s: %w", name, c.Names[0], err)
			}
			text := c.Comment.Text()
			if text == "" {
				text = c.Doc.Text()
			}
			g.codes = append(g.codes, code{name, text})
		}
		if len(g.codes) > 0 {
			groups = append(groups, g)
		}
	}
	return groups, nil
}

// reportPage is jobgait-report(7).
func reportPage(groups []noteGroup, of edition) *page {
	p := newPage("jobgait-report", "7", "what a report of jobgait says", of)
	p.head("DESCRIPTION")
	p.prose("A run leaves `jobgait-<jobid>.txt`, `.json` and `.html`, as far as report.formats of jobgait.toml(5) names them: " +
		"beside the job's standard output, else in its work directory; under `jobgait run` in the directory of --output. " +
		"They say the same. `jobgait help report` prints the words below.")
	p.head("WORDS")
	for _, w := range reports.Words() {
		p.item(w.Name, w.Text)
	}
	p.head("FINDINGS")
	p.prose("What limited a run, by the codes of its JSON form, and what earns each. findings.silent of jobgait.toml(5) takes a code.")
	for _, rule := range finding.Rules() {
		p.item(rule.Code, string(rule.Level)+": "+rule.When)
	}
	p.head("NOTES")
	p.prose("What could not be told, or is told with a warning. Codes are stable; texts may change. " +
		"They are in the report, in its JSON, and in the view job_notes of jobgait-history(5).")
	for _, g := range groups {
		if g.about != "" {
			p.prose(g.about)
		}
		for _, c := range g.codes {
			p.item(c.name, c.text)
		}
	}
	p.seeAlso("jobgait(1)", "jobgait-history(5)")
	return p
}
