package history

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// lack is something of the schema that a history has not.
type lack struct {
	name string // table.column, view.column or the name of an index
	add  string // SQL that adds a column to a table that is there, else ""
}

// index is whether an index is missing.
func (l lack) index() bool { return !strings.Contains(l.name, ".") }

var (
	tableText  = regexp.MustCompile(`(?ms)^CREATE TABLE IF NOT EXISTS (\w+) \($(.*?)^\)`)
	columnText = regexp.MustCompile(`(?m)^  (\w+) +((?:INTEGER|REAL|TEXT|BLOB)\b[^\n]*)$`)
	columnEnd  = regexp.MustCompile(`,?\s*(--.*)?$`)
	viewText   = regexp.MustCompile(`(?ms)^CREATE VIEW (\w+) AS$(.*?);$`)
	viewColumn = regexp.MustCompile(`(?m) AS (\w+),?$`)
	indexText  = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?INDEX IF NOT EXISTS (\w+) `)
)

// parts are all columns and indexes that schema.sql names.
func (s schema) parts() []lack {
	var all []lack
	for _, table := range tableText.FindAllStringSubmatch(s.text, -1) {
		for _, c := range columnText.FindAllStringSubmatch(table[2], -1) {
			all = append(all, lack{table[1] + "." + c[1],
				fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", table[1], c[1], columnEnd.ReplaceAllString(c[2], ""))})
		}
	}
	for _, view := range viewText.FindAllStringSubmatch(s.text, -1) {
		for _, c := range viewColumn.FindAllStringSubmatch(view[2], -1) {
			all = append(all, lack{name: view[1] + "." + c[1]})
		}
	}
	for _, index := range indexText.FindAllStringSubmatch(s.text, -1) {
		all = append(all, lack{name: index[1]})
	}
	return all
}

// lacks returns what of the schema a history of this version has not: columns are
// added to the schema without a new number, because programs that do not know them
// go on with it. The columns of views are read from their text: SQLite tells them
// only of views that it can answer.
func (db *DB) lacks(ctx context.Context, q asker) ([]lack, error) {
	parts := db.schema.parts()
	var names []string
	for _, p := range parts {
		if table, _, ok := strings.Cut(p.name, "."); ok && !slices.Contains(names, "'"+table+"'") {
			names = append(names, "'"+table+"'")
		}
	}
	has := map[string]bool{}
	err := each(ctx, q, `
		SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name IN (`+
		strings.Join(names, ", ")+`)
		UNION ALL SELECT name, coalesce(sql, '') FROM sqlite_master WHERE type IN ('index', 'view')`,
		func(rows *sql.Rows) error {
			var object, column string
			err := rows.Scan(&object, &column)
			has[object] = true
			has[object+"."+column] = true
			for _, c := range viewColumn.FindAllStringSubmatch(column, -1) { // the text of a view
				has[object+"."+c[1]] = true
			}
			return err
		})
	var left []lack
	for _, p := range parts {
		if table, _, _ := strings.Cut(p.name, "."); !has[table] {
			p.add = "" // schema.sql makes it whole
		}
		if !has[p.name] {
			left = append(left, p)
		}
	}
	return left, err
}

// mend gives a history of this version the columns, tables, indexes and views that
// it has not. Where nothing is missing nothing is locked.
func (db *DB) mend(ctx context.Context) error {
	var left []lack
	err := db.patiently(ctx, func() (err error) {
		left, err = db.lacks(ctx, db.sql)
		return err
	})
	if err != nil || len(left) == 0 {
		return err
	}
	return db.write(ctx, func(tx *sql.Conn) error {
		left, err := db.lacks(ctx, tx) // another process may have mended it
		if err != nil || len(left) == 0 {
			return err
		}
		return db.remake(ctx, tx, db.schema.version())
	})
}
