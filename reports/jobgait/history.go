package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/reports/text"
)

// historyOptions are the flags of history.
type historyOptions struct {
	history         string
	job, user, app  string
	json, csv, path bool
}

// historyCommand returns the verb history.
func historyCommand(getenv func(string) string) *cobra.Command {
	var o historyOptions
	c := &cobra.Command{
		Use:   "history [QUESTION]",
		Short: "run a query of jobgait-history(5), or list the queries",
		Long: "history runs a query of jobgait-history(5) on your own runs, or on the whole\n" +
			"site if you may read it. Without an argument it lists the queries. Other queries\n" +
			"can be written in SQL:\n\n" +
			"    sqlite3 -readonly $(jobgait history --path)",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || o.path && len(args) > 0 {
				return usageError{errors.New("history needs one query, such as: jobgait history week_slower")}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !o.path {
				return o.list(cmd.OutOrStdout())
			}
			return o.ask(cmd, getenv, strings.Join(args, ""))
		},
	}
	historyFlag(c, &o.history)
	f := c.Flags()
	f.StringVarP(&o.job, "job", "j", "", "query this `JOBID`, if the query is about a job")
	f.StringVarP(&o.user, "user", "u", "", "query this user, if the query is about a user (default: you)")
	f.StringVar(&o.app, "app", "", "query this application, if the query is about an application")
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	f.BoolVar(&o.csv, "csv", false, "print CSV")
	f.BoolVar(&o.path, "path", false, "print the path of the history")
	c.MarkFlagsMutuallyExclusive("json", "csv")
	return c
}

// list prints the catalogue: each question with the first sentence of its description.
func (o historyOptions) list(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, q := range history.CatalogueQueries() {
		first, _, _ := strings.Cut(strings.ReplaceAll(q.About, "\n", " "), ". ")
		first, _, _ = strings.Cut(first, ": ")
		fmt.Fprintf(w, "%s\t%s\n", q.Name, strings.TrimRight(first, ". "))
	}
	return w.Flush()
}

// ask runs the query of the catalogue with this name and prints its rows. With --path it prints only where the
// histories are.
func (o historyOptions) ask(cmd *cobra.Command, getenv func(string) string, name string) (failed error) {
	query := ""
	if !o.path {
		var err error
		if query, err = o.querySQL(name); err != nil {
			return usageError{err}
		}
	}
	from, err := openHistories(cmd.Context(), getenv, o.history)
	if err != nil {
		return err
	}
	defer from.closeAfter(&failed)
	if o.path {
		_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(from.paths, "\n"))
		return err
	}
	answer, err := from.ask(cmd.Context(), query)
	if err != nil {
		return err
	}
	return o.print(cmd.OutOrStdout(), answer)
}

// example is the example value in a question's SQL that a flag replaces. at matches the SQL around it.
type example struct {
	at   *regexp.Regexp
	flag string
	is   string
}

// querySQL returns the SQL of the query of the catalogue with this name, in which the flags replace the example values;
// the user is the caller by default. It returns an error for an unknown name, and if a value that the query needs has
// no flag.
func (o historyOptions) querySQL(name string) (string, error) {
	all := history.CatalogueQueries()
	i := slices.IndexFunc(all, func(q history.CatalogueQuery) bool { return q.Name == name })
	if i < 0 {
		return "", fmt.Errorf("unknown query %q: jobgait history lists the queries", name)
	}
	if o.job != "" && !run.IsDisplayID(o.job) {
		return "", jobIDError(o.job)
	}
	query := all[i].SQL
	for _, e := range []example{
		{regexp.MustCompile(`(\bJobID = ')[0-9_]+(')`), "job", o.job},
		{regexp.MustCompile(`(\bJobID GLOB ')[0-9]+(_\*')`), "job", o.job},
		{regexp.MustCompile(`(\bUser = ')[a-z]+(')`), "user", cmp.Or(o.user, userName())},
		{regexp.MustCompile(`(\bApplication = ')[a-z ]+(')`), "app", o.app},
	} {
		switch {
		case !e.at.MatchString(query):
		case e.is == "":
			return "", fmt.Errorf("the query %s needs a value: add --%s", name, e.flag)
		default:
			quoted := strings.NewReplacer("'", "''", "$", "$$").Replace(e.is)
			query = e.at.ReplaceAllString(query, "${1}"+quoted+"${2}")
		}
	}
	return query, nil
}

// ask runs the query on all histories; where there are several, each row begins with its cluster.
func (j openedHistories) ask(ctx context.Context, query string) (history.QueryResult, error) {
	var all history.QueryResult
	for _, db := range j.dbs {
		a, err := db.Select(ctx, query)
		if err != nil {
			return history.QueryResult{}, err
		}
		if all.Columns = a.Columns; len(j.dbs) > 1 {
			clusters, err := db.Clusters(ctx)
			if err != nil {
				return history.QueryResult{}, err
			}
			all.Columns = append([]string{"Of"}, a.Columns...)
			for i := range a.Rows {
				a.Rows[i] = append([]any{strings.Join(clusters, ",")}, a.Rows[i]...)
			}
		}
		all.Rows = append(all.Rows, a.Rows...)
	}
	return all, nil
}

// print prints rows as a table, CSV or JSON; an unknown value is -, empty or null there.
func (o historyOptions) print(out io.Writer, a history.QueryResult) error {
	switch {
	case o.json:
		return printJSON(out, a)
	case o.csv:
		return printCSV(out, a, true)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(a.Columns, "\t"))
	for _, row := range a.Rows {
		fmt.Fprintln(w, strings.Join(cellsOf(row, "-"), "\t"))
	}
	return w.Flush()
}

// printCSV prints unknown values as empty fields. It puts an apostrophe before text that a spreadsheet would
// take for a formula, because users choose the names of jobs and programs.
func printCSV(out io.Writer, a history.QueryResult, header bool) error {
	w := csv.NewWriter(out)
	if header {
		_ = w.Write(a.Columns)
	}
	for _, row := range a.Rows {
		cells := cellsOf(row, "")
		for i, v := range row {
			if isText(v) && strings.IndexAny(cells[i], "=+-@\t\r") == 0 {
				cells[i] = "'" + cells[i]
			}
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return w.Error() // of all writes
}

// isText reports whether a value is text.
func isText(v any) bool {
	switch v.(type) {
	case string, []byte:
		return true
	}
	return false
}

// printJSON prints one object per row and keeps the order of columns, which a map would not.
func printJSON(out io.Writer, a history.QueryResult) error {
	for _, row := range a.Rows {
		var line []string
		for i, v := range row {
			if b, is := v.([]byte); is {
				v = string(b)
			}
			name, err := json.Marshal(a.Columns[i])
			value, failed := json.Marshal(v)
			if err := errors.Join(err, failed); err != nil {
				return fmt.Errorf("internal error, please report it: print column %s of the history as JSON: %w",
					a.Columns[i], err)
			}
			line = append(line, string(name)+":"+string(value))
		}
		if _, err := fmt.Fprintf(out, "{%s}\n", strings.Join(line, ",")); err != nil {
			return err
		}
	}
	return nil
}

// cellsOf returns a row as text; unknown stands for nil values.
func cellsOf(row []any, unknown string) []string {
	cells := make([]string, len(row))
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			cells[i] = unknown
		case float64:
			cells[i] = plainNumber(v)
		case []byte:
			cells[i] = text.Clean(string(v))
		default:
			cells[i] = text.Clean(fmt.Sprint(v))
		}
	}
	return cells
}

// plainNumber prints a number with at most twelve significant figures and no exponent.
func plainNumber(v float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}
