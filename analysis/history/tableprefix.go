package history

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

const (
	// tablePrefix begins the name of each table and view that queries should not use, so that .tables of sqlite3
	// lists them apart from the documented views.
	tablePrefix = "internal_"
	// unprefixedVersion is the schema version in which these names had no prefix.
	unprefixedVersion = 1
)

// prefixTables renames the tables of a history of unprefixedVersion. It drops its triggers and internal views, which
// schema.sql creates again. Views of an administrator that read documented views stay valid.
func (db *DB) prefixTables(ctx context.Context, tx *sql.Conn) error {
	// With legacy_alter_table SQLite renames a table although a view refers to a view that was dropped for the
	// upgrade. References of foreign keys are renamed because foreign keys are enabled on this connection.
	statements := []string{"PRAGMA legacy_alter_table = ON", "DROP TRIGGER IF EXISTS run_added",
		"DROP TRIGGER IF EXISTS run_changes", "DROP TRIGGER IF EXISTS run_changed", "DROP VIEW IF EXISTS run_field",
		"DROP VIEW IF EXISTS run_day"}
	for _, table := range tableText.FindAllStringSubmatch(db.schema.text, -1) {
		old := strings.TrimPrefix(table[1], tablePrefix)
		var exists bool
		if err := tx.QueryRowContext(ctx, "SELECT count(*) > 0 FROM sqlite_master WHERE type = 'table' AND name = ?",
			old).Scan(&exists); err != nil {
			return fmt.Errorf("look for the table %s: %w", old, err)
		}
		if exists && old != table[1] {
			statements = append(statements, fmt.Sprintf("ALTER TABLE %s RENAME TO %s", old, table[1]))
		}
	}
	for _, statement := range append(statements, "PRAGMA legacy_alter_table = OFF") {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}
