package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	writers = 8
	puts    = 50
)

// TestProcesses starts eight programs that store 50 runs each in a history that does not exist yet: one creates
// it, all write, none closes it.
func TestProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	var running sync.WaitGroup
	for i := range writers {
		running.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("JOBGAIT_TEST_PUT=%s %d %d", path, i*puts+1, puts))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writer %d: %v\n%s", i, err, out)
			}
		})
	}
	running.Wait()
	askTool(t, path, writers*puts) // the log of killed writers is still there
	db, err := OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, table := range []string{"internal_run", "internal_run_summary", "internal_run_node", "internal_ingest_log"} {
		if n := count(t, db, table); n != writers*puts {
			t.Errorf("%s has %d rows, want %d", table, n, writers*puts)
		}
	}
	if n := count(t, db, "internal_run_series") + count(t, db, "internal_cluster") + count(t, db, "internal_node") +
		count(t, db, "internal_hpc_user"); n != 4 {
		t.Errorf("%d rows that should be one each", n)
	}
	var check string
	if err := db.sql.QueryRow("PRAGMA integrity_check").Scan(&check); check != "ok" {
		t.Errorf("integrity: %s, %v", check, err)
	}
}

// TestConnections puts the same runs through eight connections at once, with
// either journal: each run is there once.
func TestConnections(t *testing.T) {
	for _, journal := range []Journal{WAL, Rollback} {
		t.Run(string(journal), func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "history.db")
			if err := create(path); err != nil {
				t.Fatal(err)
			}
			var running sync.WaitGroup
			for range writers {
				running.Go(func() {
					db, err := openWith(context.Background(), path, journal, patience)
					if err != nil {
						t.Error(err)
						return
					}
					defer db.Close()
					for id := range int64(10) {
						if err := db.Put(context.Background(), oneNode(id+1), Ingest{}); err != nil {
							t.Error(err)
						}
						if _, err := db.Runs(context.Background(), past(oneNode(id+1))); err != nil {
							t.Error(err)
						}
					}
				})
			}
			running.Wait()
			askTool(t, path, 10)
		})
	}
}

// askTool queries all jobs with the sqlite3 command, if it is installed.
func askTool(t *testing.T, path string, want int) {
	t.Helper()
	tool := sqliteTool(t)
	if tool == "" {
		return
	}
	out, err := exec.Command(tool, path, "SELECT JobID, User, Elapsed, PeriodS FROM jobs").CombinedOutput()
	if got := strings.Count(string(out), "|alice|00:01:00|0.5\n"); err != nil || got != want {
		t.Errorf("sqlite3 found %d jobs of %d, %v: %.500s", got, want, err, out)
	}
}

// TestTool queries with the sqlite3 command while a history is open, and after.
func TestTool(t *testing.T) {
	db := open(t)
	mustPut(t, db, oneNode(1), Ingest{})
	askTool(t, db.path, 1)
	mustPut(t, db, oneNode(2), Ingest{})
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(db.path + "-*"); len(left) > 0 {
		t.Errorf("left beside the file: %v", left)
	}
	askTool(t, db.path, 2)
}

// TestLocked checks how long a writer waits for one that does not end: until
// its patience or its context does.
func TestLocked(t *testing.T) {
	db := open(t)
	other, err := sql.Open("sqlite3", db.path)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	other.SetMaxOpenConns(1)
	if _, err := other.Exec("BEGIN IMMEDIATE"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.sql.Exec("PRAGMA busy_timeout = 10"); err != nil {
		t.Fatal(err)
	}
	db.patience = 0
	err = db.Put(t.Context(), oneNode(1), Ingest{})
	if err == nil || !strings.Contains(err.Error(), "another process holds it too long") {
		t.Errorf("out of patience: %v", err)
	}
	db.patience = time.Hour
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := db.Put(ctx, oneNode(1), Ingest{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("out of time: %v", err)
	}
	if _, err := other.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	mustPut(t, db, oneNode(1), Ingest{})
}
