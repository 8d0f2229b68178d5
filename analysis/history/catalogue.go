package history

import (
	"context"
	"embed"
	"errors"
	"path"
	"strings"
	"time"
)

// catalogue holds the queries of jobgait-history(5), in queries/. Pages show the results of the same queries
// that an administrator can run.
//
//go:embed queries/*.sql
var catalogue embed.FS

// CatalogueQuery is a query of the catalogue, with examples of job ids and names in it.
type CatalogueQuery struct {
	Name  string // "week_slower"
	About string // its purpose, in a few lines
	SQL   string
}

// CatalogueQueries returns the queries of the catalogue, sorted by name.
func CatalogueQueries() []CatalogueQuery {
	var all []CatalogueQuery
	files, _ := catalogue.ReadDir("queries") // it is part of the program
	for _, f := range files {
		text, _ := catalogue.ReadFile("queries/" + f.Name())
		q := CatalogueQuery{Name: strings.TrimSuffix(f.Name(), path.Ext(f.Name())), SQL: string(text)}
		for strings.HasPrefix(q.SQL, "-- ") {
			line, rest, _ := strings.Cut(q.SQL, "\n")
			q.About, q.SQL = q.About+line[len("-- "):]+"\n", rest
		}
		all = append(all, q)
	}
	return all
}

// catalogueSQL returns the SQL of a query of the catalogue, with now, in UTC epoch seconds, filled in.
func catalogueSQL(name string, now float64) (string, error) {
	text, err := catalogue.ReadFile("queries/" + name + ".sql")
	at := time.Unix(int64(now), 0).UTC().Format("'2006-01-02 15:04:05'")
	return strings.ReplaceAll(string(text), "'now'", at), err
}

// QueryResult holds the rows of a query; values are nil, int64, float64, string or []byte.
type QueryResult struct {
	Columns []string
	Rows    [][]any
}

// mostRows is the most rows of a result: no query of the catalogue has nearly as many, and a view in an unknown
// file may never end.
const mostRows = 200_000

var errManyRows = errors.New("its answer has more than 200,000 rows: write it with a LIMIT in sqlite3 -readonly")

// Select runs a query on an open history and returns its rows; more than mostRows rows are an error.
func (db *DB) Select(ctx context.Context, query string) (QueryResult, error) {
	var a QueryResult
	err := db.retryWhileLocked(ctx, func() error {
		a = QueryResult{}
		rows, err := db.sql.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		if a.Columns, err = rows.Columns(); err != nil {
			return err
		}
		for rows.Next() {
			row := make([]any, len(a.Columns))
			to := make([]any, len(row))
			for i := range row {
				to[i] = &row[i]
			}
			if err := rows.Scan(to...); err != nil {
				return err
			}
			if a.Rows = append(a.Rows, row); len(a.Rows) > mostRows {
				return errManyRows
			}
		}
		return rows.Err()
	})
	return a, explain(db.path, "run the query", err)
}
