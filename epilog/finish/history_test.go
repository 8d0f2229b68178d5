package finish

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
)

// A sweep waits once for a history that another process has locked, not for each run, and every run that it
// tried has its report.
func TestLockedHistoryIsWaitedForOnce(t *testing.T) {
	t.Parallel()
	tool, err := exec.LookPath("sqlite3")
	if err != nil {
		t.Skip(err)
	}
	s := newSite(t)
	db, err := history.Open(context.Background(), s.cfg.History.Path)
	must(t, err)
	must(t, db.Close())
	holder := exec.Command(tool, s.cfg.History.Path)
	in, err := holder.StdinPipe()
	must(t, err)
	out, err := holder.StdoutPipe()
	must(t, err)
	must(t, holder.Start())
	defer func() { _ = errors.Join(in.Close(), holder.Wait()) }()
	_, err = io.WriteString(in, "BEGIN IMMEDIATE; SELECT 'held';\n")
	must(t, err)
	_, err = io.ReadFull(out, make([]byte, len("held")))
	must(t, err)
	for id := range run.JobID(3) {
		s.run("n1", "n1", run.Key{Cluster: "test", JobID: id + 1}, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	}
	// a third of it for the history, which has to be opened too
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	did, err := s.finisher("n1").Sweep(ctx, true)
	if !history.Locked(err) || did.Finished != 0 || did.Waiting != 1 {
		t.Errorf("%+v, %v", did, err)
	}
	s.text("jobgait-1.txt")
}

// A failing history logs one line and leaves the run for later. Then the report is delivered again, with the
// earlier runs.
func TestFailedHistoryIsOneError(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.cfg.History.Path = s.work // a directory
	dir := s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	err := s.finisher("n1").Finish(context.Background(), dir)
	if err == nil || strings.Count(err.Error(), s.work) > 2 || strings.Contains(err.Error(), "\n") || Done(dir) {
		t.Errorf("%v", err)
	}
	report := filepath.Join(s.work, "jobgait-7.txt")
	must(t, os.Remove(report))
	if err := s.finisher("n1").Finish(context.Background(), dir); err == nil {
		t.Error("no error the second time")
	}
	if _, err := os.Stat(report); err == nil {
		t.Error("delivered again, with nothing new in it")
	}
	s.cfg.History.Path = filepath.Join(s.root, "history.db")
	must(t, s.finisher("n1").Finish(context.Background(), dir))
	if text := s.text("jobgait-7.txt"); !Done(dir) || strings.Contains(text, "earlier runs could not be read") {
		t.Errorf("with the history: done %v\n%s", Done(dir), text)
	}
}

// A run that no history can store (of a Slurm that named no cluster) is reported once and closed: each retry
// would fail in the same way.
func TestUnfitRunIsClosed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	dir := s.run("n1", "n1", run.Key{JobID: 7}, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)
	f := s.finisher("n1")
	var lines []string
	f.Log = func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if did, err := f.Sweep(context.Background(), true); err != nil || did.Finished != 1 || !Done(dir) {
		t.Errorf("%+v, %v", did, err)
	}
	if len(lines) != 1 || !strings.Contains(lines[0], "no cluster") {
		t.Errorf("log %q", lines)
	}
	s.text("jobgait-7.txt")
}

// A step that hangs leaves time for the following steps.
func TestShare(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	for _, c := range []struct {
		part        int
		limit, want time.Duration
	}{{3, 2 * time.Hour, 20 * time.Minute}, {2, time.Minute, time.Minute}} {
		part, cancel := withShareOfTime(ctx, c.part, c.limit)
		defer cancel()
		end, ok := part.Deadline()
		if left := time.Until(end); !ok || left > c.want || left < c.want/2 {
			t.Errorf("a part of %d, %v at most: %v", c.part, c.limit, left)
		}
	}
}
