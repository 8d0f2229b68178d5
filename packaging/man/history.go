package main

import (
	"fmt"
	"jobgait/analysis/history"
	"regexp"
	"strings"
)

// view is a view of the history, from the SQL that makes it.
type view struct {
	name, about string
	columns     []string
}

var (
	viewLine   = regexp.MustCompile(`^CREATE VIEW (\w+) AS$`)
	columnLine = regexp.MustCompile(`\bAS (\w+),?$`)
)

// parseViews reads schema.sql. The comment above a view is what is known of it: a
// sentence, then a line for each column that sacct does not have.
func parseViews(schema string) []view {
	var views []view
	about, inView := "", false
	for _, l := range strings.Split(schema, "\n") {
		text, isComment := strings.CutPrefix(l, "--")
		name, col := viewLine.FindStringSubmatch(l), columnLine.FindStringSubmatch(l)
		switch {
		case isComment:
			about += strings.TrimPrefix(text, " ") + "\n"
			continue
		case name != nil:
			views, inView = append(views, view{name: name[1], about: about}), true
		case strings.HasPrefix(l, "FROM "):
			inView = false
		case inView && col != nil:
			v := &views[len(views)-1]
			v.columns = append(v.columns, col[1])
		}
		about = ""
	}
	return views
}

// promise is the comment of schema.sql that says what the views are.
func promise(schema string) (string, error) {
	_, text, ok := strings.Cut(schema, "\n-- The views, which are")
	if !ok {
		return "", fmt.Errorf("schema.sql does not say what the views are")
	}
	text, _, _ = strings.Cut(text, "\n\n")
	return "The views are" + strings.ReplaceAll(text, "\n--", ""), nil
}

// historyPage is jobgait-history(5) of schema.sql and of the questions of the catalogue.
func historyPage(schema string, of edition) (*page, error) {
	text, err := promise(schema)
	if err != nil {
		return nil, err
	}
	p := newPage("jobgait-history", "5", "views of the history of jobgait", of)
	p.head("SYNOPSIS")
	p.line(".B sqlite3 \\-readonly\n.I /var/lib/jobgait/history.db\n\\(aqselect JobID, User, Elapsed, PeriodS from jobs\\(aq")
	p.head("DESCRIPTION")
	p.prose("The history is one SQLite file: on a cluster `history.path` of jobgait.toml(5), under `jobgait run` `~/.local/share/jobgait/history.db`.")
	p.prose(text)
	p.prose("Columns that end in S are seconds, in Pct percent, in Epoch seconds since 1970 UTC; the same time without it is local.")
	for _, v := range parseViews(schema) {
		p.head("VIEW " + v.name)
		p.prose(v.about)
		p.line(".PP")
		p.fill("Columns: " + strings.Join(v.columns, ", ") + ".")
	}
	p.head("QUESTIONS")
	p.prose("`jobgait history` asks them by their headings, and pages that jobgait draws name them so. Names and job ids are examples; +0 makes a number of the text that strftime gives.")
	for _, q := range history.Questions() {
		p.sub(q.Name)
		p.prose(q.About)
		p.asIs(q.SQL)
	}
	p.seeAlso("jobgait(1)", "jobgait.toml(5)", "jobgait-report(7)", "sacct(1)", "sqlite3(1)")
	return p, nil
}
