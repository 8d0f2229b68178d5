package main

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A run whose history another process has locked ends with a report while the lock is still held. A later run leaves
// both records in the history.
func TestRunWithALockedHistory(t *testing.T) {
	tool, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip(err)
	}
	b := newBox(t)
	if r := end(t, b.command("run", "--", "true")); r.complaint != "" {
		t.Fatal(r.complaint)
	}
	release := b.lockHistory(tool)
	locked := end(t, b.command("run", "--", "true"))
	text := b.report()
	release() // fails where the lock was lost before
	b.lacksHistory(locked, text, "another process holds it too long")
	b.runUntilStored("1", "2")
}

// A damaged history costs a run the comparison and not the report. One line names the file and the remedy, and a later
// run leaves both records in the history that replaces the damaged one.
func TestRunWithADamagedHistory(t *testing.T) {
	b := newBox(t)
	path := b.historyPath()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Repeat("damaged ", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	damaged := end(t, b.command("run", "--", "true"))
	b.lacksHistory(damaged, b.report(), "move it away, or name another (--history, history.path)")
	if err := os.Rename(path, path+".damaged"); err != nil {
		t.Fatal(err)
	}
	b.runUntilStored("1")
}

func (b box) historyPath() string {
	return filepath.Join(filepath.Dir(b.work), ".local/share/jobgait/history.db")
}

// lacksHistory checks what a run without a usable history prints and reports.
func (b box) lacksHistory(r result, report, why string) {
	b.t.Helper()
	if r.status.ExitStatus() != 0 || strings.Count(r.complaint, "\n") != 1 ||
		!strings.HasPrefix(r.complaint, "jobgait: ") ||
		!strings.Contains(r.complaint, "history "+b.historyPath()+": ") || !strings.Contains(r.complaint, why) {
		b.t.Errorf("status %v, printed %q: want one line with the history's path and %q", r.status, r.complaint, why)
	}
	if strings.Count(report, "earlier runs could not be read") != 1 {
		b.t.Errorf("want one note on the history:\n%s", report)
	}
}

// lockHistory locks the history from another process. The function returned releases the lock. It fails the test if
// the lock was not held until then.
func (b box) lockHistory(tool string) (release func()) {
	b.t.Helper()
	holder := exec.Command(tool, "-bail", b.historyPath())
	in, err := holder.StdinPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	out, err := holder.StdoutPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := holder.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() { _ = in.Close() })
	// write sends SQL and reads what it prints; COMMIT fails outside a transaction.
	write := func(sql, want string) {
		b.t.Helper()
		got := make([]byte, len(want))
		if _, err := io.WriteString(in, sql); err != nil {
			b.t.Fatal(err)
		}
		if _, err := io.ReadFull(out, got); err != nil || string(got) != want {
			b.t.Fatalf("%s printed %q: %v", sql, got, err)
		}
	}
	// A sweep of the run before may hold the history for a moment.
	write(".timeout 30000\nBEGIN EXCLUSIVE; SELECT 'held';\n", "held\n")
	return func() {
		b.t.Helper()
		write("COMMIT; SELECT 'released';\n", "released\n")
		_ = in.Close()
		if err := holder.Wait(); err != nil {
			b.t.Fatal(err)
		}
	}
}

// runUntilStored runs commands until the history has the given jobs and one that ran later. One run is enough unless a
// sweep of the run before is still at work.
func (b box) runUntilStored(want ...string) {
	b.t.Helper()
	var ids []string
	var last result
	b.t.Cleanup(func() {
		if b.t.Failed() {
			b.t.Logf("stored %q, want %q and one more; the last run printed %q; log:\n%s", ids, want, last.complaint, b.log())
		}
	})
	poll(b.t, "all runs are stored", func() bool {
		last = end(b.t, b.command("run", "--", "true"))
		ids = b.jobIDs()
		// Runs that began in one second are listed in the order in which they were stored.
		return len(ids) > len(want) && !slices.ContainsFunc(want, func(id string) bool { return !slices.Contains(ids, id) })
	})
}

// jobIDs lists the jobs in the history, oldest first.
func (b box) jobIDs() []string {
	b.t.Helper()
	r := end(b.t, b.command("list", "--json", "--limit", "1000"))
	var ids []string
	for decoder := json.NewDecoder(strings.NewReader(r.out)); ; {
		var l struct {
			JobID string `json:"job_id"`
		}
		switch err := decoder.Decode(&l); err {
		case nil:
			ids = append([]string{l.JobID}, ids...)
		case io.EOF:
			return ids
		default:
			b.t.Fatalf("list: %v: %q %q", err, r.out, r.complaint)
		}
	}
}
