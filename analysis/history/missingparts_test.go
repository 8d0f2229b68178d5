package history

import (
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestMend opens a history of this version that was made before columns, an index and a view were added:
// readers get an error, writers add them.
func TestMend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	old, err := openAs(t, path, earlier(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.sql.Exec(`INSERT INTO internal_cluster VALUES (1, 'hpc');
		INSERT INTO internal_hpc_user VALUES (1, 'alice', 1001);
		INSERT INTO internal_run (run_id, cluster_id, job_id, restart, sluid, sub, reuse, display_id, user_id, nodes_reported)
			VALUES (1, 1, 7, 0, '', 0, 0, '7', 1, 0)`); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenReadOnly(t.Context(), path); !errors.Is(err, ErrOlder) ||
		!strings.Contains(err.Error(), "its schema has no internal_run.instances") {
		t.Errorf("a reader gets %v", err)
	}
	for range 2 {
		db, err := Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		mustPut(t, db, oneNode(8), Ingest{})
		if left, err := db.missingParts(t.Context(), db.sql); len(left) > 0 || err != nil {
			t.Errorf("it still lacks %v, %v", left, err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := db.Runs(t.Context(), Query{}); err != nil || ids(runs) != "8 7" {
		t.Errorf("runs %v, %v", runs, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestReadWithoutAnIndex reads what a history without one of the newest indexes has.
func TestReadWithoutAnIndex(t *testing.T) {
	db := openFixture(t)
	if _, err := db.sql.Exec("DROP INDEX application_name"); err != nil {
		t.Fatal(err)
	}
	again, err := OpenReadOnly(t.Context(), db.path)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if runs, err := again.Runs(t.Context(), Query{App: "nemo"}); err != nil || len(runs) != 1 {
		t.Errorf("%v, %v", runs, err)
	}
}

// TestPartsAreAll compares what is read from the text of the schema with what SQLite
// makes of it.
func TestPartsAreAll(t *testing.T) {
	db := open(t)
	var got, want []string
	for _, p := range db.schema.parts() {
		got = append(got, p.name)
	}
	err := db.eachRow(t.Context(), `SELECT m.name || '.' || c.name FROM sqlite_master m, pragma_table_info(m.name) c
		UNION ALL SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL`, func(rows *sql.Rows) error {
		var name string
		err := rows.Scan(&name)
		// for the queries of this package
		if !strings.HasPrefix(name, "sqlite_") && !strings.HasPrefix(name, "internal_run_field.") &&
			!strings.HasPrefix(name, "internal_run_day.") {
			want = append(want, name)
		}
		return err
	})
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) {
		diff := slices.DeleteFunc(append(slices.Clone(got), want...), func(s string) bool {
			return slices.Contains(got, s) && slices.Contains(want, s)
		})
		t.Errorf("of %d parts %d are found, %v: %v", len(want), len(got), err, diff)
	}
}
