package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"jobgait/analysis/finding"
	"jobgait/reports/job"
)

// noteGroup is one const block of analysis/note.
type noteGroup struct {
	about string
	codes []code
}

// code is the code of a note and its meaning.
type code struct{ name, text string }

// parseNotes reads the codes from a source file of analysis/note. A code's meaning is the comment after it or
// above it; the comment of a const block describes its codes together.
func parseNotes(path string) ([]noteGroup, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
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
			if c, ok := parseCode(s.(*ast.ValueSpec)); ok {
				g.codes = append(g.codes, c)
			}
		}
		if len(g.codes) > 0 {
			groups = append(groups, g)
		}
	}
	return groups, nil
}

// parseCode reads a constant of type note.Code and its meaning; ok is false for any other constant, and for a code
// without a comment.
func parseCode(s *ast.ValueSpec) (c code, ok bool) {
	kind, isName := s.Type.(*ast.Ident)
	if !isName || kind.Name != "Code" || len(s.Values) != 1 {
		return code{}, false
	}
	value, isText := s.Values[0].(*ast.BasicLit)
	if !isText {
		return code{}, false
	}
	name, err := strconv.Unquote(value.Value)
	text := strings.TrimSpace(s.Doc.Text() + s.Comment.Text())
	return code{name, strings.Join(strings.Fields(text), " ")}, err == nil && text != ""
}

// reportPage returns jobgait-report(7).
func reportPage(groups []noteGroup, of edition) *page {
	p := newPage("jobgait-report", "7", "contents of a report of jobgait", of)
	p.head("DESCRIPTION")
	p.prose("A run leaves `jobgait-<jobid>.txt`, `.json` and `.html` if report.formats of jobgait.toml(5) " +
		"names them. They are in the directory of the job's standard output, otherwise in its work directory; under " +
		"`jobgait run` in the directory of --output. All three have the same contents. `jobgait help report` prints " +
		"the words below.")
	p.prose("On a cluster the files have the read and write permissions of the job's output file, at least 0600, " +
		"and 0600 if that is not a regular file of the user; under `jobgait run` the umask gives them. " +
		"A report that could not be delivered is kept in the node's spool, belongs to root, " +
		"and its user can read it through a POSIX ACL.")
	p.head("WORDS")
	for _, w := range job.Words() {
		p.item(w.Name, w.Text)
	}
	p.head("FINDINGS")
	p.prose("What limited a run: the codes used in its JSON form, and the rule of each. A report leaves out the codes " +
		"that findings.silent of jobgait.toml(5) lists. " +
		finding.InfoRule())
	for _, rule := range finding.Rules() {
		p.item(rule.Code, string(rule.Level)+": "+rule.When)
	}
	p.head("NOTES")
	p.prose("What a report could not state, or states with a warning. Codes are stable; texts may change. " +
		"Notes are in the report, in its JSON, and in the view job_notes of jobgait-history(5).")
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
