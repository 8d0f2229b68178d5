package history

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSnapshot writes the snapshot of one of three users, and searches every byte of it for the others.
func TestSnapshot(t *testing.T) {
	db := site(t)
	to := filepath.Join(t.TempDir(), "carol.db")
	if err := db.Snapshot(t.Context(), 1003, to); err != nil {
		t.Fatal(err)
	}
	s, err := OpenUnlocked(t.Context(), to)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range views {
		q := "SELECT * FROM " + v.name + " WHERE User = 'carol' ORDER BY " + v.order
		if v.name == "ingest" {
			q = "SELECT * FROM ingest WHERE RunID IN (SELECT RunID FROM jobs WHERE User = 'carol') ORDER BY AtEpoch"
		}
		want := dump(t, db.sql, q)
		if got := dump(t, s.DB.sql, "SELECT * FROM "+v.name+" ORDER BY "+v.order); got != want {
			t.Errorf("view %s is\n%s\nwant\n%s", v.name, got, want)
		}
	}
	if sum, _, err := s.DB.Summary(t.Context(), "812345"); err != nil || sum.Job.User != "carol" {
		t.Errorf("her own run: %v", err)
	}
	for _, table := range []string{"internal_hpc_user", "internal_application", "internal_run", "internal_field",
		"internal_ingest_log"} {
		if text := dump(t, s.DB.sql, "SELECT * FROM "+table); strings.Contains(text, "alice") ||
			strings.Contains(text, "bob") {
			t.Errorf("%s has others: %s", table, text)
		}
	}
	if err := s.Close(nil); err != nil {
		t.Error(err)
	}
	if err := db.Snapshot(t.Context(), 1003, to); err == nil || !strings.Contains(err.Error(), "file already exists") {
		t.Errorf("onto a file: %v", err)
	}
	came, err := db.UsersSince(t.Context(), siteNowS-1.5*86400)
	if err != nil || len(came) != 2 {
		t.Errorf("since a day and a half %v, %v", came, err)
	}
}

// TestPartsOfSnapshot compares the parts with the tables, so that a new table is not forgotten.
func TestPartsOfSnapshot(t *testing.T) {
	db := open(t)
	var have, known []string
	if err := db.eachRow(t.Context(), "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
		func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			have = append(have, name)
			return err
		}); err != nil {
		t.Fatal(err)
	}
	for _, p := range parts() {
		known = append(known, p.table)
	}
	known = append(known, "internal_pruned") // of the whole history
	slices.Sort(have)
	slices.Sort(known)
	if !slices.Equal(have, known) {
		t.Errorf("tables %v, thought of %v", have, known)
	}
}
