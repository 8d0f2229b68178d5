package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// historyOf is a history of a cluster with 30 runs of an application, numbered from
// first, one a day; the last ten take longer by a factor.
func historyOf(t *testing.T, cluster, app string, first int, factor float64) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), cluster+".db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	today := float64(time.Now().Unix())
	for i := range 30 {
		elapsed := 60 + .1*float64(i*i%7)
		if i >= 20 {
			elapsed *= factor
		}
		start := today - float64(30-i)*86400 - float64(first)
		s := summary.Summary{
			Schema: summary.Schema, Key: run.Key{Cluster: cluster, JobID: run.JobID(first + i)},
			Job:   run.Job{Name: app, App: app, User: userName(), UID: os.Getuid(), NNodes: 1},
			Start: start, End: start + elapsed, ElapsedS: elapsed, Exit: &run.Exit{}, Quality: run.Quality{Scope: "task"},
		}
		if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func TestJoinedHistoriesAreRead(t *testing.T) {
	a, b := historyOf(t, "alpha", "melt", 100, 1), historyOf(t, "beta", "ocean", 120, 1.2)
	both := "--history=" + a + "," + b
	got := ask("list", "--csv", "--limit", "100", both)
	rows, err := csv.NewReader(strings.NewReader(got.out)).ReadAll()
	if err != nil || len(rows) != 61 {
		t.Fatalf("%v %d rows: %+v", err, len(rows), got)
	}
	start, cluster := slices.Index(rows[0], "start"), slices.Index(rows[0], "cluster")
	count := map[string]int{}
	for i, r := range rows[1:] {
		count[r[cluster]]++
		if i > 0 && r[start] > rows[i][start] {
			t.Errorf("row %d is newer than the one before", i)
		}
	}
	if count["alpha"] != 30 || count["beta"] != 30 {
		t.Errorf("%v", count)
	}
	if got := ask("list", "-p", "--limit", "3", both); !strings.HasPrefix(got.out, "Cluster|JobID|") ||
		strings.Count(got.out, "\n") != 4 {
		t.Errorf("%+v", got)
	}
	for args, want := range map[string]string{"100": "melt", "149": "ocean"} {
		if got := ask("show", args, both); got.status != 0 || !strings.Contains(got.out, want) {
			t.Errorf("show %s: %+v", args, got)
		}
	}
	if got := ask("show", "--last", both); got.status != 0 || !strings.Contains(got.out, "129") {
		t.Errorf("%+v", got)
	}
	if got := ask("show", "125", both); got.status != 1 || !strings.Contains(got.complaint, "cluster alpha") ||
		!strings.Contains(got.complaint, "cluster beta") || strings.Count(got.complaint, "\n") != 1 {
		t.Errorf("%+v", got)
	}
	if got := ask("show", "99", both); got.status != 1 || !strings.Contains(got.complaint, a+", "+b) {
		t.Errorf("%+v", got)
	}
	if got := ask("compare", "100", "149", both); got.status != 0 {
		t.Errorf("%+v", got)
	}
}

// A change on one cluster is reported with its name, and series that are first in both histories have distinct
// numbers.
func TestJoinedHistoriesAreJudged(t *testing.T) {
	both := "--history=" + historyOf(t, "alpha", "melt", 100, 1) + "," + historyOf(t, "beta", "melt", 200, 1.2)
	got := ask("changes", "--check", "--json", both)
	var told struct {
		Series []struct {
			ID     string `json:"id"`
			Name   string `json:"name"`
			Status string `json:"status"`
		} `json:"series"`
	}
	if err := json.Unmarshal([]byte(got.out), &told); err != nil || got.status != 3 || len(told.Series) != 2 ||
		told.Series[0].ID == told.Series[1].ID {
		t.Fatalf("%v %+v", err, got)
	}
	if got := ask("changes", both); strings.Count(got.out, "slower since") != 1 ||
		!strings.Contains(got.out, "beta melt") {
		t.Errorf("%+v", got)
	}
	if got := ask("scaling", both); got.status != 1 || !strings.Contains(got.complaint, "two sizes") {
		t.Errorf("%+v", got)
	}
}

// A pipe among them is refused, so that no command waits until something is written to it.
func TestJoinedHistoriesAreFiles(t *testing.T) {
	a, pipe := historyOf(t, "alpha", "melt", 100, 1), filepath.Join(t.TempDir(), "pipe.db")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"list"}, {"show", "100"}, {"changes"}, {"scaling"},
		{"dashboard", "-o", filepath.Join(t.TempDir(), "x.html")}} {
		for _, histories := range []string{a + "," + pipe, pipe} {
			answered := make(chan answer, 1)
			go func() { answered <- ask(append(args, "--history", histories)...) }()
			select {
			case got := <-answered:
				if got.status != 1 || got.out != "" || !strings.Contains(got.complaint, pipe+": open: the path is a pipe") ||
					strings.Count(got.complaint, "\n") != 1 {
					t.Errorf("%v: %+v", args, got)
				}
			case <-time.After(time.Minute):
				t.Fatalf("%v waits", args)
			}
		}
	}
}

func TestJoinedHistoriesAreNotWritten(t *testing.T) {
	a, b := historyOf(t, "alpha", "melt", 100, 1), historyOf(t, "beta", "melt", 200, 1.2)
	before := [2]string{}
	for i, p := range []string{a, b} {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		before[i] = string(text)
	}
	both := "--history=" + a + "," + b
	for _, args := range [][]string{{"changes", "--ack", "220"}, {"prune"}, {"reanalyse"}} {
		got := ask(append(args, both)...)
		if got.status != 2 || !strings.Contains(got.complaint, "needs exactly one") ||
			strings.Count(got.complaint, "\n") != 1 {
			t.Errorf("%v: %+v", args, got)
		}
	}
	for _, c := range []struct{ flag, want string }{
		{a + "," + a, "cluster alpha"}, {a + ",", "missing"}, {a + ",/nowhere/x.db", "/nowhere/x.db"},
	} {
		if got := ask("list", "--history="+c.flag); got.status == 0 || got.out != "" ||
			!strings.Contains(got.complaint, c.want) || strings.Count(got.complaint, "\n") != 1 {
			t.Errorf("%s: %+v", c.flag, got)
		}
	}
	for i, p := range []string{a, b} {
		if text, err := os.ReadFile(p); err != nil || string(text) != before[i] {
			t.Errorf("%s was written: %v", p, err)
		}
	}
	comma := filepath.Join(t.TempDir(), "x,y.db")
	if err := os.Rename(a, comma); err != nil {
		t.Fatal(err)
	}
	if got := ask("list", "-n", "--history="+comma); got.status != 0 || strings.Count(got.out, "\n") != 30 {
		t.Errorf("%+v", got)
	}
}
