package main

import (
	"fmt"
	"regexp"
	"strings"

	"jobgait/analysis/history"
)

// view is a view of the history, parsed from the SQL that creates it.
type view struct {
	name, about string
	columns     []string
}

var (
	viewBlock  = regexp.MustCompile(`(?ms)((?:^--[^\n]*\n)+)^CREATE VIEW (\w+) AS\n(.*?)^FROM `)
	columnLine = regexp.MustCompile(`(?m)\bAS (\w+),?$`)
)

// parseViews returns the public views of schema.sql, which are created without IF NOT EXISTS. about is the
// comment above a view: a sentence, then a line for each column that sacct does not have. columns are the names
// of all its columns.
func parseViews(schema string) []view {
	var views []view
	for _, block := range viewBlock.FindAllStringSubmatch(schema, -1) {
		v := view{name: block[2], about: regexp.MustCompile(`(?m)^-- ?`).ReplaceAllString(block[1], "")}
		for _, c := range columnLine.FindAllStringSubmatch(block[3], -1) {
			v.columns = append(v.columns, c[1])
		}
		views = append(views, v)
	}
	return views
}

// viewsComment returns the comment of schema.sql that describes the views.
func viewsComment(schema string) (string, error) {
	_, text, ok := strings.Cut(schema, "\n-- The views, which are")
	if !ok {
		return "", fmt.Errorf("analysis/history/schema.sql has no comment on the views before the first CREATE VIEW: add one")
	}
	text, _, _ = strings.Cut(text, "\n\n")
	return "The views are" + strings.ReplaceAll(text, "\n--", ""), nil
}

// historyPage returns jobgait-history(5), made from schema.sql and the queries of the catalogue.
func historyPage(schema string, of edition) (*page, error) {
	text, err := viewsComment(schema)
	if err != nil {
		return nil, err
	}
	p := newPage("jobgait-history", "5", "views of the history of jobgait", of)
	p.head("SYNOPSIS")
	p.line(".B sqlite3 \\-readonly\n.I /var/lib/jobgait/history.db\n\\(aqselect JobID, User, Elapsed, PeriodS from " +
		"jobs\\(aq")
	p.head("DESCRIPTION")
	p.prose("The history is one SQLite file: on a cluster `history.path` of jobgait.toml(5), under `jobgait run` " +
		"`~/.local/share/jobgait/history.db`.")
	p.prose(text)
	p.prose("Columns whose names end in S contain seconds, in Pct percent, in Epoch seconds since 1970 UTC; the same " +
		"time without Epoch is local.")
	for _, v := range parseViews(schema) {
		p.head("VIEW " + v.name)
		p.prose(v.about)
		p.line(".PP")
		p.fill("Columns: " + strings.Join(v.columns, ", ") + ".")
	}
	p.head("QUERIES")
	p.prose("`jobgait history` runs a query by its heading; the pages of jobgait refer to queries by these names. " +
		"Names and job ids are examples; +0 converts the text that strftime returns to a number.")
	for _, q := range history.CatalogueQueries() {
		p.sub(q.Name)
		p.prose(q.About)
		p.verbatim(q.SQL)
	}
	p.seeAlso("jobgait(1)", "jobgait.toml(5)", "jobgait-report(7)", "sacct(1)", "sqlite3(1)")
	return p, nil
}
