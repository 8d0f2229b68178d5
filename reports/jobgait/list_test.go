package main

import (
	"encoding/csv"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

func TestList(t *testing.T) {
	env := storedRuns(t)
	table := askIn(env, "list", "--limit", "3", "-p")
	lines := strings.Split(strings.TrimSpace(table.out), "\n")
	if len(lines) != 4 || lines[0] !=
		"JobID|User|State|ExitCode|Start|Elapsed|NCPUS|Busy|Wait|MaxRSS|Cycle|Finding|Application|" ||
		strings.Count(lines[1], "|") != strings.Count(lines[0], "|") || !strings.Contains(lines[1], "|0:0|") {
		t.Errorf("%+v", table)
	}
	if got := askIn(env, "list", "--limit", "3", "-p", "-n"); got.out != strings.Join(lines[1:], "\n")+"\n" {
		t.Errorf("without a header: %+v", got)
	}
	got := askIn(env, "list", "--csv", "--limit", "2")
	rows, err := csv.NewReader(strings.NewReader(got.out)).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v %+v", err, got)
	}
	var keys map[string]any
	if got := askIn(env, "list", "--json", "--limit", "1"); json.Unmarshal([]byte(got.out), &keys) != nil {
		t.Fatalf("%+v", got)
	}
	for _, name := range rows[0] {
		if _, ok := keys[name]; !ok {
			t.Errorf("CSV has %q and JSON has not", name)
		}
	}
	if len(keys) != len(rows[0]) {
		t.Errorf("JSON has %d keys, CSV %d columns", len(keys), len(rows[0]))
	}
	for want, args := range map[int][]string{
		0: {"-S", "now"}, 1: {"-S", "now-1day", "--app", "melt"}, 30: {"-E", "now", "--app", "melt"},
	} {
		got := askIn(env, append([]string{"list", "-n"}, args...)...)
		if n := strings.Count(got.out, "\n"); got.status != 0 || n > want+1 || n < want-1 {
			t.Errorf("%v: %d lines: %+v", args, n, got)
		}
	}
	for _, args := range [][]string{{"-A", "x"}, {"-r", "x"}, {"-s", "FAILED"}} {
		if got := askIn(env, append([]string{"list", "-n"}, args...)...); got.status != 0 || got.out != "" {
			t.Errorf("%v: %+v", args, got)
		}
	}
	for _, args := range [][]string{{"-S", "moon"}, {"--json", "--csv"}, {"-E", "now-3moons"}} {
		if got := askIn(env, append([]string{"list"}, args...)...); got.status != 2 ||
			strings.Count(got.complaint, "\n") != 1 {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestTimeOf(t *testing.T) {
	now := time.Date(2026, 11, 23, 9, 30, 0, 0, time.UTC)
	for text, want := range map[string]string{"now": "2026-11-23 09:30:00", "today": "2026-11-23 00:00:00",
		"02:15":     "2026-11-23 02:15:00",
		"now-7days": "2026-11-16 09:30:00", "now-1hour": "2026-11-23 08:30:00", "now-90": "2026-11-23 09:28:30",
		"2026-11-20":       "2026-11-20 00:00:00",
		"2026-11-20T02:00": "2026-11-20 02:00:00", "2026-11-20T02:00:01+01:00": "2026-11-20 01:00:01"} {
		got, err := timeOf(text, now)
		if err != nil || got.UTC().Format("2006-01-02 15:04:05") != want {
			t.Errorf("%s is %v, %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "now-", "now-x", "now+1day", "25:00", "2026-13-01", "now-99999999999999999999days"} {
		if got, err := timeOf(text, now); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// The newest run needs no number.
func TestShowLast(t *testing.T) {
	env := storedRuns(t)
	first := strings.Fields(askIn(env, "list", "-n", "--limit", "1").out)[0]
	if last, same := askIn(env, "show", "--last"), askIn(env, "show", first); last.status != 0 || last != same {
		t.Errorf("the last run is %s: %+v", first, last)
	}
	for _, args := range [][]string{{"show"}, {"show", "--last", "1"}} {
		if got := askIn(env, args...); got.status != 2 || strings.Count(got.complaint, "\n") != 1 {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// Runs of a second show hundredths; longer ones sacct's form.
func TestElapsedText(t *testing.T) {
	for s, want := range map[float64]string{0: "00:00:00.00", 0.43: "00:00:00.43", 7.126: "00:00:07.13",
		59.999: "00:00:59", 60.9: "00:01:00", 90061.5: "1-01:01:01"} {
		if got := elapsedText(s); got != want {
			t.Errorf("%g: %s, want %s", s, got, want)
		}
	}
}

// Runs of a command that crashed are FAILED, in the text, in JSON and for -s.
func TestListShowsTheStateOfOwnRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for id, exit := range map[run.JobID]run.Exit{1: {}, 2: {Code: 1}, 3: {Signal: 11}} {
		if err := db.Put(t.Context(), summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "local:desk", JobID: id},
			Job: run.Job{App: "solver", User: userName(), NNodes: 1}, Start: 1.79e9, End: 1.79e9 + 0.43, ElapsedS: 0.43,
			Exit: &exit, Quality: run.Quality{Scope: "task"}}, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + t.TempDir()}
	for _, form := range []string{"-p", "--json"} {
		got := askIn(env, "list", "--history", path, "-n", "-s", "FAILED", form)
		if got.status != 0 || strings.Count(got.out, "\n") != 2 || strings.Count(got.out, "FAILED") != 2 {
			t.Errorf("%s: %+v", form, got)
		}
	}
}
