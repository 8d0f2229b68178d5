package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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
		"foreign": {file(t, "CREATE TABLE t (a INTEGER)"),
			"not a history of jobgait (application id 0x0, version 0, want id 0x6a674869)"},
		"foreign id": {file(t, "CREATE TABLE t (a); PRAGMA application_id = 252006673; PRAGMA user_version = 1"),
			"(application id 0xf055111"},
		"newer": {file(t, "CREATE TABLE t (a); PRAGMA application_id = 0x6A674869; PRAGMA user_version = 99"),
			"schema version 99, this one reads up to 2"},
		"before release": {file(t, "CREATE TABLE t (a); PRAGMA application_id = 0x4A476169; PRAGMA user_version = 4"),
			"its schema predates the first release and is no longer supported: move it away (mkdir /"},
		"schema 6": {file(t, "CREATE TABLE t (a); PRAGMA application_id = 0x6A676169; PRAGMA user_version = 6"),
			"the next run begins a new one, and jobgait reanalyse adds runs whose profiles were kept"},
		"no database":    {random, "not an SQLite database, or is damaged"},
		"directory":      {t.TempDir(), "is a directory"},
		"unusable place": {filepath.Join(random, "sub", "history.db"), "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			before, _ := os.ReadFile(c.path)
			_, err := Open(t.Context(), c.path)
			if err == nil {
				t.Fatal("it was opened")
			}
			if text := err.Error(); !strings.Contains(text, c.want) || !strings.Contains(text, c.path) ||
				strings.Contains(text, "\n") {
				t.Errorf("error is %q, want one line with the path and %q", text, c.want)
			}
			if _, err := OpenReadOnly(t.Context(), c.path); err == nil {
				t.Error("it was opened for reading")
			}
			if _, err := OpenUnlocked(t.Context(), c.path); err == nil {
				t.Error("it was opened at rest")
			}
			if after, _ := os.ReadFile(c.path); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestNoFile checks that other things than files are refused without opening them, because opening a pipe waits
// for its writer. A link to a file is accepted.
func TestNoFile(t *testing.T) {
	dir := t.TempDir()
	pipe, socket := filepath.Join(dir, "pipe.db"), filepath.Join(dir, "socket.db")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	ways := map[string]func(string) error{
		"to write":    func(path string) error { return andClose(Open(ctx, path)) },
		"to read":     func(path string) error { return andClose(OpenReadOnly(ctx, path)) },
		"at rest":     func(path string) error { _, err := OpenUnlocked(ctx, path); return err },
		"as snapshot": func(path string) error { return open(t).Snapshot(ctx, 1001, path) },
	}
	for how, way := range ways {
		for _, path := range []string{pipe, socket, "/dev/zero"} {
			refused := make(chan error, 1)
			go func() { refused <- way(path) }()
			select {
			case err := <-refused:
				if err == nil || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") ||
					how != "as snapshot" && !strings.Contains(err.Error(), "name a regular file") {
					t.Errorf("%s %s: %v", path, how, err)
				}
			case <-ctx.Done():
				t.Fatalf("%s %s: it waits", path, how)
			}
		}
	}
	db := open(t)
	link := filepath.Join(dir, "link.db")
	if err := errors.Join(db.Close(), os.Symlink(db.path, link)); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"to write", "to read"} {
		if err := ways[how](link); err != nil {
			t.Errorf("a link, %s: %v", how, err)
		}
	}
}

// andClose closes a history that was opened.
func andClose(db *DB, err error) error {
	if err != nil {
		return err
	}
	return db.Close()
}

// TestBeforeRelease runs the commands that the error on a history from before the first release names: then
// there is a new history, and the old one is kept.
func TestBeforeRelease(t *testing.T) {
	path := file(t, "CREATE TABLE t (a); PRAGMA application_id = 0x4A476169; PRAGMA user_version = 4; PRAGMA "+
		"journal_mode = WAL")
	_, err := Open(t.Context(), path)
	_, way, ok := strings.Cut(fmt.Sprint(err), "(")
	if way, _, _ = strings.Cut(way, ")"); !ok {
		t.Fatal(err)
	}
	if out, err := exec.Command("sh", "-c", way).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", way, err, out)
	}
	db, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	mustPut(t, db, oneNode(1), Ingest{})
	if kept, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "before", "*")); len(kept) != 1 {
		t.Errorf("kept are %v", kept)
	}
}

func TestOpenReadOnly(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.db")
	if _, err := OpenReadOnly(t.Context(), missing); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file is %v", err)
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
