package history

import (
	"path/filepath"
	"strings"
	"testing"
)

// A history from before tables had a prefix keeps its runs, its administrator's views and its structure.
func TestTablesGetTheirPrefix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	old, err := openAs(t, path, schema{text: strings.ReplaceAll(schemaText, tablePrefix, "")})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.sql.Exec(`CREATE VIEW mine AS SELECT JobID FROM jobs;
		INSERT INTO cluster VALUES (1, 'hpc');
		INSERT INTO hpc_user VALUES (1, 'alice', 1001);
		INSERT INTO run (run_id, cluster_id, job_id, restart, sluid, sub, reuse, display_id, user_id, nodes_reported, end_s)
			VALUES (1, 1, 7, 0, '', 0, 0, '7', 1, 0, 86400)`); err != nil {
		t.Fatal(err)
	}
	if err := old.sql.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	if got := dump(t, db.sql, "SELECT JobID FROM mine"); !strings.Contains(got, " 7\n") {
		t.Errorf("the administrator's view shows %q", got)
	}
	if _, err := db.sql.Exec("DROP VIEW mine"); err != nil {
		t.Fatal(err)
	}
	unquoted := func(db *DB) string { return strings.ReplaceAll(structure(t, db), `"`, "") } // ALTER TABLE quotes names
	if got, want := unquoted(db), unquoted(open(t)); got != want {
		t.Errorf("the migrated history has the structure\n%s\na new one has\n%s", got, want)
	}
	if got := dump(t, db.sql, "SELECT DISTINCT \"table\" FROM pragma_foreign_key_list('internal_run')"); strings.Count(got,
		tablePrefix) != 3 {
		t.Errorf("foreign keys of internal_run refer to\n%s", got)
	}
	mustPut(t, db, oneNode(8), Ingest{})
	if runs, err := db.Runs(t.Context(), Query{}); err != nil || ids(runs) != "8 7" {
		t.Errorf("runs are %v, %v", runs, err)
	}
	if got := dump(t, db.sql, "PRAGMA foreign_key_check"); got != "" {
		t.Errorf("foreign keys are broken:\n%s", got)
	}
}

// A list of the tables of a history shows which ones are internal.
func TestInternalNamesHaveThePrefix(t *testing.T) {
	documented := dump(t, open(t).sql, `SELECT type, name FROM sqlite_master WHERE type = 'table'
		AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'internal_%'`)
	if documented != "" {
		t.Errorf("tables without the prefix:\n%s", documented)
	}
}
