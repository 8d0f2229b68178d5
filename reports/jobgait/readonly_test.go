package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// storedJob returns a run of a job that the tests of this file put.
func storedJob(id run.JobID) summary.Summary {
	return summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "c", JobID: id}, Start: 1.79e9, End: 1.79e9 + 1,
		ElapsedS: 1, Job: run.Job{Name: "melt", User: "alice"}, Exit: &run.Exit{}}
}

// aReadOnlyHistory returns the path of a history with job 1 that all accounts may read, in a directory where only this
// one may write.
func aReadOnlyHistory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "jobgait-history-") // one that another account can walk to
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Put(t.Context(), storedJob(1), history.Ingest{}), db.Close(), os.Chmod(dir, 0o755),
		os.Chmod(path, 0o644)); err != nil {
		t.Fatal(err)
	}
	return path
}

// An ordinary user reads a history in a directory where the user may not write: one that no process has open, and one
// that a writer has open.
func TestHistoryThatTheUserMayOnlyRead(t *testing.T) {
	path := aReadOnlyHistory(t)
	readable := func(when string, jobs ...string) {
		t.Helper()
		for _, args := range [][]string{{"list"}, {"list", "--json"}, {"show", "1"}, {"seff", "1"},
			{"history", "job", "--job", "1"}, {"dashboard", "--site", "-o", "page.html"}} {
			r := aUser(t, "here", path, args...)
			if r.status.ExitStatus() != 0 || r.complaint != "" {
				t.Errorf("%s, %v: %d %q %q", when, args, r.status.ExitStatus(), r.out, r.complaint)
			}
		}
		list := aUser(t, "here", path, "list", "--csv").out
		for _, job := range jobs {
			if !strings.Contains(list, job) {
				t.Errorf("%s, no %s in\n%s", when, job, list)
			}
		}
	}
	readable("at rest", "\n1,alice,")
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("reading left %v, %v", entries, err)
	}
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Put(t.Context(), storedJob(2), history.Ingest{}); err != nil {
		t.Fatal(err)
	}
	readable("beside a writer", "\n2,alice,")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	readable("after the writer", "\n2,alice,")
}

// What a killed writer leaves beside the history of another account is read with it, or is one line that says what to
// do if SQLite's index of it is missing or the user may not read it; the next writer repairs the history.
func TestHistoryOfAKilledWriter(t *testing.T) {
	for name, c := range map[string]struct {
		damage func(path string) error
		says   string
	}{
		"all files": {func(string) error { return nil }, ""},
		"without index": {func(path string) error { return os.Remove(path + "-shm") },
			"another process is writing the history: try again; if this stays, its last writer was killed: the account that " +
				"owns it must store another run or call jobgait-epilog --ingest"},
		"unreadable": {func(path string) error {
			return errors.Join(os.Chmod(path+"-shm", 0o600), os.Chmod(path+"-wal", 0o600))
		}, "if this stays, its last writer was killed"},
		"empty log": {func(path string) error {
			return errors.Join(os.Truncate(path+"-wal", 0), os.Remove(path+"-shm"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			path := aReadOnlyHistory(t)
			copyOpenHistory(t, path)
			if err := c.damage(path); err != nil {
				t.Fatal(err)
			}
			r := aUser(t, "here", path, "list")
			if c.says == "" && (r.status.ExitStatus() != 0 || r.complaint != "" || !strings.Contains(r.out, "melt")) {
				t.Errorf("%d %q %q", r.status.ExitStatus(), r.out, r.complaint)
			}
			if c.says != "" && (r.status.ExitStatus() != 1 || r.out != "" || !strings.Contains(r.complaint, c.says) ||
				strings.Count(r.complaint, "\n") != 1) {
				t.Errorf("%d %q %q", r.status.ExitStatus(), r.out, r.complaint)
			}
			db, err := history.Open(t.Context(), path)
			if err != nil {
				t.Fatal(err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			if r := aUser(t, "here", path, "list"); r.status.ExitStatus() != 0 || r.complaint != "" {
				t.Errorf("after the next writer: %d %q", r.status.ExitStatus(), r.complaint)
			}
		})
	}
}

// copyOpenHistory stores job 2 and leaves the files as a process does that is killed after it: the state of the files
// while they are open.
func copyOpenHistory(t *testing.T, path string) {
	t.Helper()
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	kept := t.TempDir()
	err = db.Put(t.Context(), storedJob(2), history.Ingest{})
	copied, copyErr := exec.Command("sh", "-c", `cp -p "$1"* "$2"`, "sh", path, kept).CombinedOutput()
	if err := errors.Join(err, copyErr, db.Close()); err != nil {
		t.Fatalf("%v: %s", err, copied)
	}
	copied, err = exec.Command("sh", "-c", `cp -p "$1"/* "$2"`, "sh", kept, filepath.Dir(path)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, copied)
	}
}
