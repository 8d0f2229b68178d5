package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"jobgait/reports/job"

	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// reportOf is the report in JSON of run n of a user.
func reportOf(t *testing.T, n int, user string) string {
	t.Helper()
	start := 1.7e9 + 86400*float64(n)
	elapsed := 60 + float64(n/6)*20 + float64(n%3)/10
	s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: run.JobID(100 + n)},
		Job:   run.Job{Name: "melt", User: user, UID: os.Geteuid(), NNodes: 1, NodeList: "n1", Executable: "lmp", WorkDir: "/work"},
		Start: start, End: start + elapsed, ElapsedS: elapsed, Exit: &run.Exit{}, State: "COMPLETED", Nodes: []summary.Node{{Name: "n1", Reported: true}}}
	var b bytes.Buffer
	if err := job.JSON(&b, job.New(s, nil, job.Options{Version: "1", Now: start + elapsed})); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// runsIn is what a history says of its runs and changes, but for when it was told.
func runsIn(t *testing.T, path string) string {
	t.Helper()
	db, err := history.OpenReadOnly(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, err := db.Runs(t.Context(), history.Query{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, r := range runs {
		fmt.Fprintln(&b, r.JobID, r.User, r.Start, r.ElapsedS)
	}
	list, err := db.Histories(t.Context(), history.HistoryQuery{Runs: 100, Series: 10})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "%d series\n", len(list))
	return b.String()
}

func TestImport(t *testing.T) {
	dir := t.TempDir()
	path, tree := filepath.Join(dir, "new", "history.db"), filepath.Join(dir, "tree")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(tree, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(tree, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	me := userName()
	for n := range 12 {
		write(fmt.Sprintf("%02d/jobgait-%d.json", 99-n, 100+n), reportOf(t, n, me))
	}
	write("copy/jobgait-100.json", reportOf(t, 0, me))
	write("other.json", "{}")
	if err := os.Symlink(filepath.Join(tree, "other.json"), filepath.Join(tree, "jobgait-7.json")); err != nil {
		t.Fatal(err)
	}
	check := func(code int, want string, args ...string) {
		t.Helper()
		got := ask(append([]string{"import", "--history", path}, args...)...)
		if got.status != code || !strings.Contains(got.out+got.complaint, want) {
			t.Errorf("%v: want %d and %q, got %+v", args, code, want, got)
		}
	}
	check(0, "13 reports can be imported\n", "--dry-run", tree)
	if _, err := os.Stat(path); err == nil {
		t.Error("a dry run made the history")
	}
	check(0, "12 runs imported into "+path+", 1 were there", tree)
	first := runsIn(t, path)
	if strings.Count(first, "\n") != 13 || !strings.HasSuffix(first, "1 series\n") {
		t.Errorf("the history has\n%s", first)
	}
	check(0, "0 runs imported into "+path+", 13 were there", tree)
	if again := runsIn(t, path); again != first {
		t.Errorf("a second import made of\n%s\nthis:\n%s", first, again)
	}

	write("bad/jobgait-1.json", "{")
	write("bad/jobgait-2.json", `{"schema": "jobgait.report/1", "job": {"job_id": -1}}`)
	write("bad/jobgait-3.json", `{"schema": "jobgait.report/9"}`)
	got := ask("import", "--history", path, tree)
	for _, want := range []string{"jobgait: refused 2: damaged, such as " + tree, "jobgait: refused 1: written by a newer jobgait, such as "} {
		if got.status != 1 || !strings.Contains(got.complaint, want) || strings.Count(got.complaint, "\n") != 2 {
			t.Errorf("bad files: %+v", got)
		}
	}
	check(1, "no such file or directory", filepath.Join(dir, "nothing"))
	check(2, "import wants a directory with reports")
	check(0, "no report jobgait-*.json to import", filepath.Dir(path))
}

// TestImportKeepsWhatHooksTold imports a report of a run that is there with more.
func TestImportKeepsWhatHooksTold(t *testing.T) {
	dir := t.TempDir()
	report := filepath.Join(dir, "jobgait-100.json")
	if err := os.WriteFile(report, []byte(reportOf(t, 0, userName())), 0o600); err != nil {
		t.Fatal(err)
	}
	i := newImporting(1.8e9)
	s, ok := i.read(report)
	if !ok {
		t.Fatal(i.refused)
	}
	s.Job.Fields = map[string]string{run.FieldCommit: "4f2a91c"}
	path := filepath.Join(dir, "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
		t.Fatal(err)
	}
	if got := ask("import", "--history", path, dir); got.status != 0 || !strings.Contains(got.out, "1 were there") {
		t.Errorf("%+v", got)
	}
	if kept, _, err := db.Summary(t.Context(), "100"); err != nil || kept.Job.Fields[run.FieldCommit] == "" {
		t.Errorf("left are %v, %v", kept.Job.Fields, err)
	}
	// It goes between the two readings.
	if err := os.Remove(report); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := i.put(t.Context(), []found{{report, 1}}, path, &out, &out); err != nil || len(i.refused) > 0 || !strings.Contains(out.String(), "1 reports changed or went") {
		t.Errorf("a report that went: %v, %v, %s", err, i.refused, out.String())
	}
	i.most = 0
	if err := os.WriteFile(report, []byte(reportOf(t, 0, userName())), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := i.find(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "import a part of it") {
		t.Errorf("too many reports: %v", err)
	}
}

func TestOwners(t *testing.T) {
	o := owners{"alice": 1001, "gone": -1}
	for _, c := range []struct {
		name       string
		owner, uid int
		ok         bool
	}{
		{"alice", 0, 1001, true}, {"alice", 1001, 1001, true}, {"alice", 1002, -1, false},
		{"gone", 1002, 1002, true}, {"gone", 0, -1, true}, {"4242", 0, 4242, true}, {"4242", 4243, -1, false},
	} {
		if os.Geteuid() == c.owner && c.owner != 0 {
			continue
		}
		if uid, err := o.uid(c.name, c.owner); uid != c.uid || (err == nil) != c.ok {
			t.Errorf("%s in a file of %d: %d, %v", c.name, c.owner, uid, err)
		}
	}
}
