package finish

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// spoolSite is a site whose history another host writes; it has n runs of the
// same application.
func spoolSite(t *testing.T, n int) site {
	t.Helper()
	s := newSite(t)
	s.cfg.History.Ingest = "here"
	for i := range n {
		key := summary.RunKey{Cluster: "test", JobID: int64(100 + i)}
		must(t, s.finisher("n1").Finish(t.Context(), s.run("n1", "n1", key, profiletest.Options{Seconds: 5, Seal: true}, true)))
	}
	s.cfg.History.Ingest = "spool"
	return s
}

// reportOf finishes job 7 and returns its report.
func (s site) reportOf(t *testing.T) string {
	t.Helper()
	must(t, s.finisher("n1").Finish(t.Context(), s.run("n1", "n1", seven, profiletest.Options{Seconds: 5, Seal: true}, true)))
	return s.text("jobgait-7.txt")
}

// In spool mode a report is judged by what the writer has written, and the run
// waits for the writer all the same.
func TestSpoolModeJudgesByTheHistoryAtRest(t *testing.T) {
	s := spoolSite(t, 3)
	before, err := os.Stat(s.cfg.History.Path)
	must(t, err)
	text := s.reportOf(t)
	if !strings.Contains(text, "EARLIER RUNS   3 of") || strings.Contains(text, "history_failed") {
		t.Errorf("the report does not name the earlier runs:\n%s", text)
	}
	after, err := os.Stat(s.cfg.History.Path)
	if err != nil || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the history was written: %v, %v", after, err)
	}
	if entries, err := os.ReadDir(s.cfg.Collect.Dir + "/jobs"); err != nil || len(entries) != 1 {
		t.Errorf("job records %v, %v", entries, err)
	}
}

// Where it is not judged, one line says why.
func TestSpoolModeSaysWhyThereAreNoEarlierRuns(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(t *testing.T, s site)
		say   string
	}{
		"being written": {func(t *testing.T, s site) {
			db, err := history.Open(context.Background(), s.cfg.History.Path)
			must(t, err)
			t.Cleanup(func() { db.Close() })
			key := summary.RunKey{Cluster: "test", JobID: 99}
			must(t, db.Put(t.Context(), summary.Summary{Key: key, Start: 1e9}, history.Ingest{}))
		}, "was being written"},
		"junk": {func(t *testing.T, s site) { must(t, os.WriteFile(s.cfg.History.Path, []byte("junk, and some"), 0o600)) }, "could not be read"},
		"a pipe": {func(t *testing.T, s site) {
			must(t, os.Remove(s.cfg.History.Path))
			must(t, unix.Mkfifo(s.cfg.History.Path, 0o600))
		}, "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := spoolSite(t, 1)
			c.spoil(t, s)
			if text := s.reportOf(t); !strings.Contains(text, "history_failed") || !strings.Contains(strings.Join(strings.Fields(text), " "), c.say) {
				t.Errorf("the report does not say %q:\n%s", c.say, text)
			}
		})
	}
}

// A node that has no history is as it should be: one line says so, without the
// word for a failure, and nothing goes into the log.
func TestSpoolModeOnANodeWithoutTheHistory(t *testing.T) {
	s := spoolSite(t, 1)
	must(t, os.Remove(s.cfg.History.Path))
	var log []string
	f := s.finisher("n1")
	f.Log = func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	must(t, f.Finish(t.Context(), s.run("n1", "n1", seven, profiletest.Options{Seconds: 5, Seal: true}, true)))
	text := s.text("jobgait-7.txt")
	if !strings.Contains(text, "history_elsewhere") || strings.Contains(text, "history_failed") {
		t.Errorf("the report says:\n%s", text)
	}
	for _, line := range log {
		if strings.Contains(line, "history") {
			t.Errorf("the log says %q", line)
		}
	}
}
