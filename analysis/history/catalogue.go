package history

import (
	"context"
	"embed"
	"errors"
	"path"
	"strings"
	"time"
)

// catalogue are the questions of jobgait-history(5): what pages show of them is what an
// administrator gets who asks himself.
//
//go:embed queries/*.sql
var catalogue embed.FS

// Question is one of the catalogue, with examples of job ids and names in it.
type Question struct {
	Name  string // "week_slower"
	About string // what it asks, in a few lines
	SQL   string
}

// Questions is the catalogue, by name.
func Questions() []Question {
	var all []Question
	files, _ := catalogue.ReadDir("queries") // it is part of the program
	for _, f := range files {
		text, _ := catalogue.ReadFile("queries/" + f.Name())
		q := Question{Name: strings.TrimSuffix(f.Name(), path.Ext(f.Name())), SQL: string(text)}
		for strings.HasPrefix(q.SQL, "-- ") {
			line, rest, _ := strings.Cut(q.SQL, "\n")
			q.About, q.SQL = q.About+line[len("-- "):]+"\n", rest
		}
		all = append(all, q)
	}
	return all
}

// question returns a query of the catalogue, with now in UTC epoch seconds filled in.
func question(name string, now float64) (string, error) {
	text, err := catalogue.ReadFile("queries/" + name + ".sql")
	at := time.Unix(int64(now), 0).UTC().Format("'2006-01-02 15:04:05'")
	return strings.ReplaceAll(string(text), "'now'", at), err
}

// Answer are rows as SQLite has them: nil, int64, float64, string or []byte.
type Answer struct {
	Columns []string
	Rows    [][]any
}

// mostRows is how many rows are kept of an answer: no question of the catalogue comes near,
// and a view in somebody's file can go on for ever.
const mostRows = 200_000

var errManyRows = errors.New("more than 200,000 rows: ask sqlite3")

// Ask asks a history that is open to be read.
func (db *DB) Ask(ctx context.Context, query string) (Answer, error) {
	var a Answer
	err := db.patiently(ctx, func() error {
		a = Answer{}
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
	return a, explain(db.path, "ask", err)
}
