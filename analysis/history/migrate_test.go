package history

import (
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// file returns the path of a database that statements have made.
func file(t *testing.T, statements string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	return path
}

// version1 is a history as the first version left it, with a run in it.
func version1(t *testing.T) string {
	t.Helper()
	scripts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	return file(t, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;"+scripts[0]+`
		PRAGMA application_id = 0x4A476169; PRAGMA user_version = 1;
		INSERT INTO cluster VALUES (1, 'hpc');
		INSERT INTO hpc_user VALUES (1, 'alice', 1001);
		INSERT INTO run (run_id, cluster_id, job_id, restart, sluid, sub, reuse, display_id, user_id, nodes_reported, counters)
			VALUES (1, 1, 7, 0, '', 0, 0, '7', 1, 0, 'none');`)
}

func TestMigrateFromVersion1(t *testing.T) {
	path := version1(t)
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	golden(t, "schema.sql", schemaOf(t, db))
	runs, err := db.Runs(t.Context(), Query{})
	if err != nil || len(runs) != 1 || runs[0].DisplayID != "7" {
		t.Errorf("the run of version 1 came out as %v, %v", runs, err)
	}
	mustPut(t, db, oneNode(8), Ingest{})
}

// TestMigrateFails checks that a migration that fails leaves the version
// before it, whole.
func TestMigrateFails(t *testing.T) {
	db := open(t)
	scripts, err := migrations()
	if err != nil {
		t.Fatal(err)
	}
	before := schemaOf(t, db)
	broken := append(scripts, "CREATE TABLE half (a INTEGER); CREATE TABLE half (a INTEGER);")
	err = migrate(t.Context(), db, broken)
	if err == nil || !strings.Contains(err.Error(), "migrate from version 4 to 5") {
		t.Errorf("error is %v", err)
	}
	if v, err := version(t.Context(), db.sql, 5); v != 4 || err != nil {
		t.Errorf("version is %d, %v", v, err)
	}
	if after := schemaOf(t, db); after != before {
		t.Errorf("half of a migration stayed:\n%s", after)
	}
}

func TestRefused(t *testing.T) {
	random := filepath.Join(t.TempDir(), "history.db")
	noise := make([]byte, 8192)
	for i := range noise {
		noise[i] = byte(i*i>>3 ^ i)
	}
	if err := os.WriteFile(random, noise, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"foreign":        {file(t, "CREATE TABLE t (a INTEGER)"), "not a history of jobgait: found application id 0x0, version 0, expected id 0x4a476169"},
		"foreign id":     {file(t, "CREATE TABLE t (a); PRAGMA application_id = 252006673; PRAGMA user_version = 1"), "found application id 0xf055111"},
		"newer":          {file(t, "CREATE TABLE t (a); PRAGMA application_id = 0x4A476169; PRAGMA user_version = 99"), "found schema version 99, expected at most 4"},
		"no database":    {random, "not an SQLite database, or damaged"},
		"directory":      {t.TempDir(), "is a directory"},
		"unusable place": {filepath.Join(random, "sub", "history.db"), "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			_, err := Open(t.Context(), c.path)
			if err == nil {
				t.Fatal("it was opened")
			}
			if text := err.Error(); !strings.Contains(text, c.want) || !strings.Contains(text, c.path) || strings.Contains(text, "\n") {
				t.Errorf("error is %q, want one line with the path and %q", text, c.want)
			}
			if _, err := OpenReadOnly(t.Context(), c.path); err == nil {
				t.Error("it was opened for reading")
			}
			if after, _ := os.ReadFile(c.path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestOpenReadOnly(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.db")
	if _, err := OpenReadOnly(t.Context(), missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is %v", err)
	}
	if _, err := OpenReadOnly(t.Context(), version1(t)); err == nil || !strings.Contains(err.Error(), "found schema version 1, expected 4") {
		t.Errorf("an older file is %v", err)
	}
	db := openFixture(t)
	ro, err := OpenReadOnly(t.Context(), db.path)
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := ro.Runs(t.Context(), Query{}); len(runs) != len(fixture()) || err != nil {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	if err := ro.Put(t.Context(), oneNode(9), Ingest{}); err == nil {
		t.Error("a reader could put")
	}
	ro.Close()
	db.Close()
	after, err := OpenReadOnly(t.Context(), db.path)
	if err != nil {
		t.Fatalf("after the writer is gone: %v", err)
	}
	defer after.Close()
	if runs, err := after.Runs(t.Context(), Query{}); len(runs) != len(fixture()) || err != nil {
		t.Errorf("after the writer is gone: %d runs, %v", len(runs), err)
	}
}

// TestDamaged overwrites pages in the middle of a history: every call must
// return, with an error that says so, or with what could be read.
func TestDamaged(t *testing.T) {
	db := open(t)
	for id := range int64(50) {
		mustPut(t, db, oneNode(id+1), Ingest{})
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(db.path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 8192; i < len(data); i++ {
		data[i] = byte(i * 7)
	}
	if err := os.WriteFile(db.path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err = Open(t.Context(), db.path)
	if err == nil {
		defer db.Close()
		err = db.Put(t.Context(), oneNode(99), Ingest{})
	}
	if err == nil || !strings.Contains(err.Error(), "damaged") || strings.Contains(err.Error(), "\n") {
		t.Errorf("error is %v", err)
	}
}

func TestModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "dir with ? and %41#", "history.db")
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mustPut(t, db, oneNode(1), Ingest{})
	for path, want := range map[string]fs.FileMode{
		path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600,
		filepath.Dir(path): fs.ModeDir | 0o700, filepath.Dir(filepath.Dir(path)): fs.ModeDir | 0o700,
	} {
		if info, err := os.Stat(path); err != nil || info.Mode() != want {
			t.Errorf("%s: %v, %v, want %v", path, info, err, want)
		}
	}
}
