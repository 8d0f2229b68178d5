package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/history"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// storedRuns is an environment whose user has a history: 30 runs of one
// application, one a day until the latest noon, slower by a seventh for the last ten, with
// another executable; and runs of it on 2 to 32 nodes on one day.
func storedRuns(t *testing.T) []string {
	t.Helper()
	home := t.TempDir()
	db, err := history.Open(t.Context(), filepath.Join(home, ".local/share/jobgait/history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	id := run.JobID(0)
	put := func(app string, nodes int, start, elapsed float64, build string) {
		id++
		s := summary.Summary{
			Schema: summary.Schema, Key: run.Key{Cluster: "local:host", JobID: id},
			Job: run.Job{Name: app, App: app, User: userName(), UID: os.Getuid(), NNodes: nodes,
				Fields: map[string]string{run.FieldBuildID: build}},
			Start: start, End: start + elapsed, ElapsedS: elapsed, Exit: &run.Exit{}, Quality: run.Quality{Scope: "task"},
		}
		if app == "ocean" {
			oceanCode(&s, float64(nodes))
		}
		if err := db.Put(t.Context(), s, history.Ingest{}); err != nil {
			t.Fatal(err)
		}
	}
	// The latest noon: whether runs of twelve hours share a day must not depend on when the test is run.
	today := float64(time.Now().Add(-12 * time.Hour).Truncate(24 * time.Hour).Add(12 * time.Hour).Unix())
	for i := range 30 {
		level, build := 60.0, "b1"
		if i >= 20 {
			level, build = 69, "b2"
		}
		put("melt", 1, today-float64(30-i)*86400, level*(1+0.004*math.Sin(float64(i*i))), build)
	}
	for k, n := range []int{2, 4, 8, 16, 32, 64} {
		for r := range 2 {
			put("ocean", n, today-float64(3600*(k+6*r)+600), 10+2*float64(n)*(1+0.002*float64(r)), "b1")
		}
	}
	return []string{"HOME=" + home}
}

func TestChangesOfStoredRuns(t *testing.T) {
	env := storedRuns(t)
	got := askIn(env, "changes", "--check")
	if got.status != 3 || !strings.Contains(got.out, "slower since") ||
		!strings.Contains(strings.Join(strings.Fields(got.out), " "), "the executable changed then") {
		t.Fatalf("%+v", got)
	}
	if first := "melt (1 node, elapsed_s), 30 runs of " + userName() + ": changed."; !strings.HasPrefix(got.out, first) {
		t.Errorf("%s does not begin with %s", got.out, first)
	}
	if next := "\nNext:  jobgait compare 20 21  (where the time goes)\n       jobgait changes --ack 21  (this change " +
		"is known)\n"; !strings.HasSuffix(got.out, next) {
		t.Errorf("%s does not end with%s", got.out, next)
	}
	if strings.Contains(got.out, "ocean") && !strings.Contains(got.out, "melt") {
		t.Errorf("the wrong application:\n%s", got.out)
	}
	if got := askIn(env, "changes", "--ack", "7"); got.status != 1 ||
		!strings.Contains(got.complaint, "no change begins with job 7") {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "changes", "--ack", "21"); got.status != 0 || got.out != "" {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "changes", "--check"); got.status != 0 || !strings.Contains(got.out, "changed") ||
		strings.Contains(got.out, "None is slower now") {
		t.Errorf("after it was acknowledged: %+v", got)
	}
	for _, c := range [][]string{{"--user", "nobody-at-all"}, {"--app", "none"}} {
		got := askIn(env, append([]string{"changes"}, c...)...)
		if got.status != 1 || !strings.Contains(got.complaint, ", none in the last 180 days") ||
			strings.Contains(got.complaint, "--site is all users") != (c[0] == "--app") {
			t.Errorf("%v: %+v", c, got)
		}
	}
	got = askIn(env, "changes", "--site", "--json", "--metric", "elapsed_s")
	if got.status != 0 || strings.Count(got.out, `"id"`) != 1 {
		t.Errorf("%+v", got)
	}
	for _, want := range []string{`"app":"melt"`, `"metric":"elapsed_s"`, `"job":"21","t":"20`, `"acknowledged":true`} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %s in %s", want, got.out)
		}
	}
}

func TestCompareStoredRuns(t *testing.T) {
	env := storedRuns(t)
	got := askIn(env, "compare", "1", "30")
	for _, want := range []string{"Job 30 against job 1: 8.78 s more (+14.6 %).", "elapsed", "+1", "build_id: b1 -> b2"} {
		if !strings.Contains(got.out, want) {
			t.Errorf("no %q in %+v", want, got)
		}
	}
	if got := askIn(env, "compare", "1", "999"); got.status != 1 || !strings.Contains(got.complaint, "no run of job 999") {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "compare", "--json", "1", "30"); got.status != 0 ||
		!strings.Contains(got.out, `"schema":"jobgait.compare/1"`) ||
		!strings.Contains(got.out, `"histogram":[]`) {
		t.Errorf("%+v", got)
	}
}

// All runs like one against all runs like another.
func TestCompareStoredHistories(t *testing.T) {
	env := storedRuns(t)
	got := askIn(env, "compare", "--like", "--metric", "elapsed_s", "1", "31")
	if got.status != 0 || !strings.Contains(got.out, "pairs by day") ||
		!strings.Contains(got.out, "melt (1 node, elapsed_s)") || !strings.Contains(got.out, "ocean (2 nodes, elapsed_s)") {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "compare", "1", "a.csv"); got.status != 2 ||
		!strings.Contains(got.complaint, "1 is a job id and a.csv is not") {
		t.Errorf("%+v", got)
	}
	for complaint, args := range map[string][]string{
		"jobs 1 and 2 are runs of one history": {"1", "2"},
		"--by commit: jobs 1 and 30 have the same value: choose one of the fields in which they differ: build_id": {"--by",
			"commit", "1", "30"},
		"no run of job 999":                    {"1", "999"},
		"--metric moon: want one of":           {"--metric", "moon", "1", "31"},
		"--like, A and B must be job ids":      {"a.csv", "b.csv"},
		"--join week: want day, scale or none": {"--join", "week", "1", "31"},
	} {
		if got := askIn(env, append([]string{"compare", "--like"}, args...)...); got.status == 0 ||
			!strings.Contains(got.complaint, complaint) {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// Two builds of one application in one shape: the runs of one against those of the
// other, which ran on other days.
func TestCompareBuilds(t *testing.T) {
	env := storedRuns(t)
	got := askIn(env, "compare", "--like", "1", "30")
	flat := strings.Join(strings.Fields(got.out), " ")
	for _, want := range []string{"build_id b2 takes 15.", "longer than " + userName() +
		" melt (1 node, elapsed_s), build_id b1 (95 % interval 14.",
		"n = 20 and 10 runs, 0 runs dropped", "p < 0.001",
		"a slower machine during one of them looks like a slower program"} {
		if got.status != 0 || !strings.Contains(flat, want) {
			t.Errorf("no %q in %+v", want, got)
		}
	}
	if by := askIn(env, "compare", "--like", "--by", "build_id", "1", "30"); by != got {
		t.Errorf("%+v", by)
	}
	if got := askIn(env, "compare", "--like", "--join", "day", "1", "30"); !strings.Contains(got.out,
		"not enough runs to tell") {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "compare", "--json", "--like", "1", "30"); !strings.Contains(got.out,
		`"join":null,"pairs":0,"dropped":0,"used":30`) {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "compare", "--by", "build_id", "1", "30"); got.status != 2 {
		t.Errorf("%+v", got)
	}
}

func TestDashboardOfStoredRuns(t *testing.T) {
	env := storedRuns(t)
	page := filepath.Join(t.TempDir(), "page.html")
	if got := askIn(env, "dashboard", "-o", filepath.Join(page, "x.html")); got.status != 1 ||
		strings.Count(got.complaint, "\n") != 1 {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "dashboard", "-o", page); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"slower since", "melt", "ocean", "Newest runs"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in the page", want)
		}
	}
}

// A run on the page leads to its report, relative to the page, where the report can be read.
func TestDashboardLinksRunsToReports(t *testing.T) {
	home := t.TempDir()
	db, err := history.Open(t.Context(), filepath.Join(home, ".local/share/jobgait/history.db"))
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(home, "a: b")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	for id, exit := range map[run.JobID]run.Exit{1: {}, 2: {Code: 3}} {
		start := float64(time.Now().Unix() - 60)
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "local:host", JobID: id},
			Job:   run.Job{App: "melt", User: userName(), UID: os.Getuid(), NNodes: 1},
			Start: start, End: start + 5, ElapsedS: 5, Exit: &exit, Quality: run.Quality{Scope: "task"}}
		if err := db.Put(t.Context(), s, history.Ingest{ReportDir: out}); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "jobgait-2.html"), []byte("a report"), 0o600); err != nil {
		t.Fatal(err)
	}
	page := filepath.Join(home, "page.html")
	if got := askIn([]string{"HOME=" + home}, "dashboard", "-o", page); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, failed, _ := strings.Cut(string(text), "<h2>Failed runs</h2>")
	failed, newest, _ := strings.Cut(failed, "<h2>Newest runs</h2>")
	for _, want := range []string{`<a href="./a:%20b/jobgait-2.html"`, "exit code 3"} {
		if !strings.Contains(failed, want) {
			t.Errorf("failed runs lack %q:\n%s", want, failed)
		}
	}
	if strings.Contains(failed, "exit code 0") || !strings.Contains(newest, "exit code 0") ||
		strings.Contains(newest, "jobgait-1.html") {
		t.Errorf("%s\n%s", failed, newest)
	}
}

func TestScalingOfStoredRuns(t *testing.T) {
	env := storedRuns(t)
	got := askIn(env, "scaling", "--app", "ocean", "--metric", "elapsed_s")
	if got.status != 0 || !strings.Contains(got.out, "ocean") || !strings.Contains(got.out, "nodes") {
		t.Fatalf("%+v", got)
	}
	if got := askIn(env, "scaling", "--app", "melt"); got.status != 1 || !strings.Contains(got.complaint, "two sizes") {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "scaling", "--parameter", "moon"); got.status != 2 {
		t.Errorf("%+v", got)
	}
	got = askIn(env, "export", "--extra-p", "text", "--app", "ocean")
	if got.status != 0 || !strings.HasPrefix(got.out, "PARAMETER nodes") || strings.Count(got.out, "DATA") != 6 {
		t.Errorf("%+v", got)
	}
}

// The function that grows worst is listed first.
func TestScalingByFunction(t *testing.T) {
	env := storedRuns(t)
	got := askIn(env, "scaling", "--app", "ocean", "--by", "function")
	first, second := strings.Index(got.out, "MPI_Alltoall libmpi"), strings.Index(got.out, "solve ocean")
	if got.status != 0 || first < 0 || second < first {
		t.Fatalf("%+v", got)
	}
	if got := askIn(env, "scaling", "--app", "ocean", "--by", "class", "--json"); got.status != 0 ||
		!strings.Contains(got.out, `"metric": "step_cpu_s"`) && !strings.Contains(got.out, `"metric":"step_cpu_s"`) {
		t.Errorf("%+v", got)
	}
	if got := askIn(env, "scaling", "--app", "melt", "--by", "function"); got.status != 1 ||
		!strings.Contains(got.complaint, "five sizes") {
		t.Errorf("%+v", got)
	}
	for _, wrong := range [][]string{{"--by", "moon"}, {"--by", "class", "--metric", "cpu_s"},
		{"--by", "class", "file.csv"}} {
		if got := askIn(env, append([]string{"scaling"}, wrong...)...); got.status != 2 {
			t.Errorf("%v: %+v", wrong, got)
		}
	}
}

// oceanCode is what a step on n nodes consists of.
func oceanCode(s *summary.Summary, n float64) {
	s.Patterns = []pattern.Pattern{{ID: "A", Timing: periodicity.Timing{PeriodS: 1, Confidence: .9, Coverage: .9}}}
	s.StepS = &s.Patterns[0].PeriodS
	c := anatomy.Cycle{Pattern: "A", Count: 10}
	parts := []anatomy.Share{{Function: anatomy.Function{Library: "ocean", Name: "solve"}, Seconds: 400 / n},
		{Function: anatomy.Function{Library: "libmpi.so.40", Name: "MPI_Alltoall"}, Seconds: n}}
	for i := range parts {
		c.BusyS += parts[i].Seconds
	}
	for _, f := range parts {
		f.Share = f.Seconds / c.BusyS
		c.Functions = append(c.Functions, f)
		c.Classes = append(c.Classes, anatomy.Part{Name: string(anatomy.ClassOf(f.Library)), Share: f.Share,
			Seconds: f.Seconds})
	}
	s.Code = &anatomy.Anatomy{Samples: 1000, Run: c.Split, Cycles: []anatomy.Cycle{c}}
}

func TestExportPprof(t *testing.T) {
	env := storedRuns(t)
	path := filepath.Join(t.TempDir(), "x.pb.gz")
	if got := askIn(env, "export", "--pprof", "31", "-o", path); got.status != 0 {
		t.Fatalf("%+v", got)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) < 100 || b[0] != 0x1f {
		t.Errorf("%d bytes, %v", len(b), err)
	}
	if got := askIn(env, "export", "--pprof", "1", "-o", path); got.status != 1 ||
		!strings.Contains(got.complaint, "has no code samples") {
		t.Errorf("%+v", got)
	}
	for _, wrong := range [][]string{{}, {"x.jgp"}, {"31", "--csv"}, {"31", "--app", "ocean"}} {
		if got := askIn(env, append([]string{"export", "--pprof"}, wrong...)...); got.status != 2 {
			t.Errorf("%v: %+v", wrong, got)
		}
	}
}
