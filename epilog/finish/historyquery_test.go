package finish

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/job/jobtest"
	"jobgait/agent/profile/profiletest"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/epilog/archive"
	"jobgait/epilog/collect"
	"jobgait/epilog/deliver"
)

// spoolSite is a site whose history another host writes; it has n runs of the
// same application.
func spoolSite(t *testing.T, n int) site {
	t.Helper()
	s := newSite(t)
	s.cfg.History.Ingest = "here"
	for i := range n {
		key := run.Key{Cluster: "test", JobID: run.JobID(100 + i)}
		must(t, s.finisher("n1").Finish(t.Context(),
			s.run("n1", "n1", key, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)))
	}
	s.cfg.History.Ingest = "spool"
	return s
}

// reportOf finishes job 7 and returns its report.
func (s site) reportOf(t *testing.T) string {
	t.Helper()
	must(t, s.finisher("n1").Finish(t.Context(),
		s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)))
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
			key := run.Key{Cluster: "test", JobID: 99}
			must(t, db.Put(t.Context(), summary.Summary{Key: key, Start: 1e9}, history.Ingest{}))
		}, "was being written"},
		"junk": {func(t *testing.T, s site) {
			must(t, os.WriteFile(s.cfg.History.Path, []byte("junk, and some"), 0o600))
		}, "could not be read"},
		"a pipe": {func(t *testing.T, s site) {
			must(t, os.Remove(s.cfg.History.Path))
			must(t, unix.Mkfifo(s.cfg.History.Path, 0o600))
		}, "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			s := spoolSite(t, 1)
			c.spoil(t, s)
			if text := s.reportOf(t); !strings.Contains(text, "history_failed") ||
				!strings.Contains(strings.Join(strings.Fields(text), " "), c.say) {
				t.Errorf("the report does not say %q:\n%s", c.say, text)
			}
		})
	}
}

// A history that is being written is read afterwards; no other failure is tried again.
func TestWaitsUntilTheHistoryIsAtRest(t *testing.T) {
	busy := fmt.Errorf("read: %w", history.ErrBeingWritten)
	for name, c := range map[string]struct {
		answers []error
		wait    time.Duration
		err     error
		reads   int
	}{
		"twice written": {[]error{busy, busy, nil}, time.Minute, nil, 3},
		"at rest":       {[]error{nil, busy}, time.Minute, nil, 1},
		"absent":        {[]error{fs.ErrNotExist, nil}, time.Minute, fs.ErrNotExist, 1},
		"for ever":      {[]error{busy, nil}, 0, history.ErrBeingWritten, 1},
	} {
		reads := 0
		err := retryWhileWritten(t.Context(), c.wait, func() error { reads++; return c.answers[reads-1] })
		if !errors.Is(err, c.err) || reads != c.reads {
			t.Errorf("%s: %v after %d readings", name, err, reads)
		}
	}
}

// A node without a history is normal: one line says so without an error, and nothing is logged.
func TestSpoolModeOnANodeWithoutTheHistory(t *testing.T) {
	s := spoolSite(t, 1)
	must(t, os.Remove(s.cfg.History.Path))
	var log []string
	f := s.finisher("n1")
	f.Log = func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	must(t, f.Finish(t.Context(), s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)))
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

// The test program is also the child processes of other accounts.
func TestMain(m *testing.M) {
	var err error
	child := len(os.Args) == 7 && os.Args[1] == finishVerb
	if child {
		err = killedWorker(os.Args[2:])
	} else if child = len(os.Args) == 4 && os.Args[1] == sweepVerb; child {
		err = sweepInUnit(os.Args[2:])
	} else {
		children := as.Handlers{as.Collect: collect.Serve, as.CompareHistory: ServeHistoryQuery, as.Deliver: deliver.Serve,
			as.Archive: archive.Serve}
		child, err = children.Serve(context.Background(), os.Args[1:], os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if child {
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// A history that another account writes is read with that account's rights, and says
// the same, the findings with it: root does not open it.
func TestHistoryIsReadByItsAccount(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root takes another account's rights")
	}
	s := spoolSite(t, 4)
	s.fasterBefore(t, 20)
	wantText, want := s.reportOf(t), s.codes(t)
	if !slices.Contains(want, "slower_than_usual") {
		t.Fatalf("findings are %v\n%s", want, wantText)
	}
	must(t, os.RemoveAll(job.NodeDir(s.cfg.Spool.Dir, "n1")))
	f := s.ofNobody(t)
	must(t, f.Finish(t.Context(), s.run("n1", "n1", seven, profiletest.SyntheticRun{Seconds: 5, Seal: true}, true)))
	section := func(text string) string {
		_, after, _ := strings.Cut(text, "EARLIER RUNS")
		before, _, _ := strings.Cut(after, "DATA QUALITY")
		return before
	}
	if got := s.text("jobgait-7.txt"); section(wantText) == "" || section(got) != section(wantText) {
		t.Errorf("read by its account:\n%s\nread by us:\n%s", section(got), section(wantText))
	}
	if got := s.codes(t); !slices.Equal(got, want) {
		t.Errorf("findings are %v, read by us %v", got, want)
	}
}

// fasterBefore puts n runs before the first, which took three fifths of its time.
func (s site) fasterBefore(t *testing.T, n int) {
	t.Helper()
	db, err := history.Open(t.Context(), s.cfg.History.Path)
	must(t, err)
	defer db.Close()
	first, _, err := db.Summary(t.Context(), "100")
	must(t, err)
	for i := range n {
		r, part := first, 0.6+0.01*float64(i%3)
		r.Key.JobID = run.JobID(50 + i)
		r.Start = first.Start - 86400*float64(n-i)
		r.ElapsedS = part * first.ElapsedS
		r.End = r.Start + r.ElapsedS
		if first.StepS != nil {
			step := part * *first.StepS
			r.StepS = &step
		}
		must(t, db.Put(t.Context(), r, history.Ingest{NowS: r.End + 1}))
	}
}

// codes are those of the findings of the report of job 7.
func (s site) codes(t *testing.T) []string {
	t.Helper()
	var report struct {
		Findings []struct {
			Code string `json:"code"`
		} `json:"findings"`
	}
	must(t, json.Unmarshal([]byte(s.text("jobgait-7.json")), &report))
	codes := []string{}
	for _, f := range report.Findings {
		codes = append(codes, f.Code)
	}
	return codes
}

// ofNobody returns a finisher whose history belongs to the account nobody.
func (s *site) ofNobody(t *testing.T) Finisher {
	t.Helper()
	account, err := as.Lookup(t.Context(), "nobody")
	must(t, err)
	for dir := s.root; dir != "/tmp" && dir != "/"; dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	program := filepath.Join(s.root, "program")
	must(t, jobtest.CopyTestProgram(program))
	own := func(path string) { must(t, os.Chown(path, int(account.UID), int(account.GID))) }
	must(t, filepath.WalkDir(s.cfg.Collect.Dir, func(path string, _ os.DirEntry, err error) error {
		own(path)
		return err
	}))
	own(s.cfg.History.Path)
	must(t, os.Chmod(s.cfg.History.Path, 0o600))
	s.cfg.Collect.Account = "nobody"
	f := s.finisher("n1")
	f.Program = program
	return f
}
