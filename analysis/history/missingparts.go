package history

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// schemaPart is a column, view column or index of the schema.
type schemaPart struct {
	name string // table.column, view.column or the name of an index
	add  string // SQL that adds a column to a table that is there, else ""
}

// index reports whether the part is an index.
func (l schemaPart) index() bool { return !strings.Contains(l.name, ".") }

var (
	tableText  = regexp.MustCompile(`(?ms)^CREATE TABLE IF NOT EXISTS (\w+) \($(.*?)^\)`)
	columnText = regexp.MustCompile(`(?m)^  (\w+) +((?:INTEGER|REAL|TEXT|BLOB)\b[^\n]*)$`)
	columnEnd  = regexp.MustCompile(`,?\s*(--.*)?$`)
	viewText   = regexp.MustCompile(`(?ms)^CREATE VIEW (\w+) AS$(.*?);$`)
	viewColumn = regexp.MustCompile(`(?m) AS (\w+),?$`)
	indexText  = regexp.MustCompile(`(?m)^CREATE (?:UNIQUE )?INDEX IF NOT EXISTS (\w+) `)
)

// parts returns all columns of tables, columns of views and indexes of schema.sql.
func (s schema) parts() []schemaPart {
	var all []schemaPart
	for _, table := range tableText.FindAllStringSubmatch(s.text, -1) {
		for _, c := range columnText.FindAllStringSubmatch(table[2], -1) {
			all = append(all, schemaPart{table[1] + "." + c[1],
				fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", table[1], c[1], columnEnd.ReplaceAllString(c[2], ""))})
		}
	}
	for _, view := range viewText.FindAllStringSubmatch(s.text, -1) {
		for _, c := range viewColumn.FindAllStringSubmatch(view[2], -1) {
			all = append(all, schemaPart{name: view[1] + "." + c[1]})
		}
	}
	for _, index := range indexText.FindAllStringSubmatch(s.text, -1) {
		all = append(all, schemaPart{name: index[1]})
	}
	return all
}

// missingParts returns the parts of the schema that a history of this version lacks: columns are added to the schema
// without a new version number, because programs that do not know them keep working. If a whole table is missing, add
// of its columns is empty. The columns of views are parsed from their text, because SQLite lists them only for views
// that it can evaluate.
func (db *DB) missingParts(ctx context.Context, q queryer) ([]schemaPart, error) {
	parts := db.schema.parts()
	var names []string
	for _, p := range parts {
		if table, _, ok := strings.Cut(p.name, "."); ok && !slices.Contains(names, "'"+table+"'") {
			names = append(names, "'"+table+"'")
		}
	}
	has := map[string]bool{}
	err := eachRow(ctx, q, `
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
	var left []schemaPart
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

// addMissing adds the columns, tables, indexes and views that a history of this version lacks. If nothing is
// missing, it takes no lock.
func (db *DB) addMissing(ctx context.Context) error {
	var left []schemaPart
	err := db.retryWhileLocked(ctx, func() (err error) {
		left, err = db.missingParts(ctx, db.sql)
		return err
	})
	if err != nil || len(left) == 0 {
		return err
	}
	return db.write(ctx, func(tx *sql.Conn) error {
		left, err := db.missingParts(ctx, tx) // another process may have mended it
		if err != nil || len(left) == 0 {
			return err
		}
		return db.remake(ctx, tx, db.schema.version())
	})
}
