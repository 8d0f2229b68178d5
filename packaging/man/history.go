package main

import (
	"fmt"
	"regexp"
	"strings"
)

// view is a view of the history, from the SQL that makes it.
type view struct {
	name, text string
	columns    []column
}

type column struct{ name, text string }

var (
	viewLine   = regexp.MustCompile(`^CREATE VIEW (\w+) AS$`)
	columnLine = regexp.MustCompile(`\bAS (\w+),?$`)
	docColumn  = regexp.MustCompile(`^  (\w+)  +(.*)$`)
)

// parseViews reads the migrations in order: the last definition of a view holds.
// The comment above one is what is known of it: a sentence, then a line for each
// column that sacct does not have, with two spaces before its name and two after
// it, and its continuation lines indented deeper. A later definition adds to it.
func parseViews(migrations []string) []view {
	var views []view
	texts := map[string]string{}
	for _, sql := range migrations {
		var comment []string
		var now *view
		for _, l := range strings.Split(sql, "\n") {
			text, isComment := strings.CutPrefix(l, "--")
			name, col := viewLine.FindStringSubmatch(l), columnLine.FindStringSubmatch(l)
			switch {
			case isComment:
				comment = append(comment, strings.TrimPrefix(text, " "))
				continue
			case name != nil:
				now = find(&views, name[1])
				now.columns = nil
				now.read(comment, texts)
			case now != nil && strings.HasPrefix(l, "FROM "):
				now = nil
			case now != nil && col != nil:
				now.columns = append(now.columns, column{name: col[1]})
			}
			comment = nil
		}
	}
	for i, v := range views {
		for j, c := range v.columns {
			views[i].columns[j].text = texts[v.name+"."+c.name]
		}
	}
	return views
}

// find returns the view of a name, new if there is none.
func find(views *[]view, name string) *view {
	for i := range *views {
		if (*views)[i].name == name {
			return &(*views)[i]
		}
	}
	*views = append(*views, view{name: name})
	return &(*views)[len(*views)-1]
}

// read takes a view's comment apart; texts gets those of columns.
func (v *view) read(comment []string, texts map[string]string) {
	said, of := "", ""
	for _, l := range comment {
		col := docColumn.FindStringSubmatch(l)
		switch {
		case col != nil:
			of = v.name + "." + col[1]
			texts[of] = col[2]
		case of != "":
			texts[of] += " " + strings.TrimSpace(l)
		default:
			said += l + "\n"
		}
	}
	if said != "" {
		v.text = said
	}
}

// promise is the first comment of the migration that makes the views, which says
// what they are.
func promise(migrations []string) (string, error) {
	for _, sql := range migrations {
		if !strings.Contains(sql, "\nCREATE VIEW ") || strings.Contains(sql, "\nDROP VIEW ") {
			continue
		}
		var b strings.Builder
		for _, l := range strings.Split(sql, "\n") {
			text, isComment := strings.CutPrefix(l, "-- ")
			if !isComment {
				break
			}
			b.WriteString(text + " ")
		}
		if _, text, ok := strings.Cut(b.String(), "the views, which"); ok {
			return "The views" + text, nil
		}
	}
	return "", fmt.Errorf("migrations: none says what the views are")
}

// historyPage is jobgait-history(5); comment is that of analysis/history.
func historyPage(migrations []string, comment string, of edition) (*page, error) {
	text, err := promise(migrations)
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
	for _, v := range parseViews(migrations) {
		p.head("VIEW " + v.name)
		if v.text != "" {
			p.prose(v.text)
		}
		var plain []string
		for _, c := range v.columns {
			if c.text == "" {
				plain = append(plain, bold(c.name))
			}
		}
		if len(plain) > 0 {
			p.line(".PP")
			p.fill("As in sacct(1), and as elsewhere here: " + strings.Join(plain, ", ") + ".")
		}
		for _, c := range v.columns {
			if c.text != "" {
				p.item(c.name, c.text)
			}
		}
	}
	if _, queries, ok := strings.Cut(comment, "\n# For administrators\n"); ok {
		p.head("EXAMPLES")
		queries, _, _ = strings.Cut(queries, "\n# ")
		p.prose(queries)
	}
	p.seeAlso("jobgait(1)", "jobgait.toml(5)", "jobgait-report(7)", "sacct(1)", "sqlite3(1)")
	return p, nil
}
