package main

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/reports/job"
)

// siteRuns is a history of a cluster: applications of three users for a month, one of
// them slower for ten days, one with GPUs, jobs that failed, were not sampled or have no
// period, and a node that sends no records. Names are what users choose them to be.
func siteRuns(t *testing.T, name func(string) string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	now := float64(time.Now().Unix())
	id := run.JobID(812300)
	number := func(v float64) *float64 { return &v }
	whole := func(n int) *int { return &n }
	put := func(app string, user, nodes int, day float64, change func(*summary.Summary)) {
		id++
		s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: id}, State: "COMPLETED",
			Exit: &run.Exit{},
			Job: run.Job{Name: name(app), App: name(app), User: name(fmt.Sprint("user", user)), UID: 1000 + user,
				Account: name(fmt.Sprint("project", user)), NNodes: nodes, NCPUs: whole(64 * nodes)},
			ElapsedS: 7200, Quality: run.Quality{Scope: "job", Samples: 1000}}
		s.Start = now - 86400*min(day, 29) // within the last 30 dates, whatever the time of day
		step := 2 * (1 + 0.004*math.Sin(float64(id*id)))
		s.StepS, s.Patterns = &step, []pattern.Pattern{{ID: "A",
			Timing: periodicity.Timing{PeriodS: step, Confidence: .9, Coverage: .9}}}
		for k := range nodes {
			s.Nodes = append(s.Nodes, summary.Node{Name: name(fmt.Sprintf("dahu-%d", k+1)), Reported: true, Sealed: true,
				BusyCPUs: number(60)})
		}
		s.Counters = []run.Counter{{Name: "proc_wait", Unit: "ns", Scope: "job", Total: 5e9 * 7200}}
		s.Job.MemoryBytes, s.Memory = number(64e9), &summary.Memory{PeakBytes: number(41e9)}
		if change != nil {
			change(&s)
		}
		s.End = s.Start + s.ElapsedS
		if err := db.Put(t.Context(), s,
			history.Ingest{ReportDir: "/home/x", NowS: s.End, Findings: job.Findings}); err != nil {
			t.Fatal(err)
		}
	}
	for day := 29.12; day > 0; day-- {
		put("nemo", 1, 4, day, func(s *summary.Summary) {
			if day < 10 {
				*s.StepS, s.ElapsedS = *s.StepS*1.2, 8640
				s.Patterns[0].PeriodS = *s.StepS
			}
			s.Nodes[2].Reported = day > 5
		})
		put("lammps", 2, 1, day, func(s *summary.Summary) {
			s.Nodes[0].BusyCPUs = number(20)
			s.GPUs = []summary.GPU{{Node: s.Nodes[0].Name, ReadS: 7000, ActiveS: number(5000)}}
		})
		put("pilot", 3, 1, day, func(s *summary.Summary) {
			s.StepS, s.Patterns, s.Counters, s.Job.MemoryBytes = nil, nil, nil, nil
			switch int(day) % 4 {
			case 0:
				s.State, s.Exit = "FAILED", &run.Exit{Code: 1}
			case 1:
				s.State, s.Exit = "OUT_OF_MEMORY", &run.Exit{Signal: 9}
			case 2:
				s.Nodes[0] = summary.Node{Name: s.Nodes[0].Name}
			}
			s.Notes = []note.Note{note.New(note.NotSignificant, "no better than chance")}
		})
	}
	for k := range 12 {
		put(fmt.Sprint("small-", strings.Repeat("a", k+1)), 2, 1, 3, nil)
	}
	runs, err := db.Runs(t.Context(), history.Query{JobID: 812300 + 1 + 20*3})
	if err != nil || len(runs) != 1 {
		t.Fatal(runs, err)
	}
	event := history.ChangeRow{RunID: runs[0].ID, Metric: "step_s", Kind: "step", EffectPct: 20, Causes: "[]"}
	if err := db.PutEvents(t.Context(), runs[0].SeriesID, []history.ChangeRow{event}, now-5*86400); err != nil {
		t.Fatal(err)
	}
	return path
}

func same(s string) string { return s }

// siteSections is the part of a page that only a site has, or "".
func siteSections(t *testing.T, args ...string) string {
	t.Helper()
	page := filepath.Join(t.TempDir(), "page.html")
	if c := ask(append([]string{"dashboard", "-o", page}, args...)...); c.status != 0 || c.out != "" {
		t.Fatalf("%+v", c)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) > 2_000_000 {
		t.Errorf("%d bytes", len(text))
	}
	for _, bad := range []string{"<script", "<img", "href=", "NaN", "ZgotmplZ", "\x1b", "\u202e"} {
		if strings.Contains(string(text), bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	return between(string(text), "<div class=\"title\"><h2>Slower since when", "<div class=\"title\"><h2>Histories")
}

func between(s, from, to string) string {
	_, s, ok := strings.Cut(s, from)
	s, _, _ = strings.Cut(s, to)
	if !ok {
		return ""
	}
	return s
}

// A page of the site says where its node hours went.
func TestDashboardOfASite(t *testing.T) {
	path := siteRuns(t, same)
	text := siteSections(t, "--site", "--history", path)
	flat := regexp.MustCompile(`<svg.*?</svg>|<[^>]*>`).ReplaceAllString(text, " ")
	flat = strings.Join(strings.Fields(strings.NewReplacer("\u00a0", " ", "&#43;", "+").Replace(flat)), " ")
	for _, want := range []string{"user1 / nemo, 4 nodes 16.0 +20.0 % 2", " 812361 10 month_slower",
		"dahu-3 no record of 5 of 7 jobs", "user1 / nemo 256 30", "and 5 more: month_applications",
		"user2 / lammps 60.0 30 100 % 2.00 s", "71.0 %", "CPUs idle", "out of memory", "project2 60.0 of 84.0",
		"no better than chance", "no node recorded it", "Why no period", "week_coverage"} {
		if !strings.Contains(flat, want) {
			t.Errorf("no %q in %s", want, flat)
		}
	}
}

// Names that users choose stay text in all sections.
func TestDashboardOfAHostileSite(t *testing.T) {
	evil := func(s string) string {
		return s + `</td></table><script>alert(1)</script>"'><img onerror=x>` + "\x1b[31m\u202e"
	}
	text := siteSections(t, "--site", "--history", siteRuns(t, evil))
	for _, title := range []string{"Sick nodes", "Applications", "by Account", "Coverage"} {
		if !strings.Contains(text, title) {
			t.Errorf("no %s", title)
		}
	}
	if n := strings.Count(text, "&lt;script&gt;alert(1)"); n < 20 {
		t.Errorf("names are %d times in the page as text", n)
	}
}

// Only a page of the whole site has the sections of a site.
func TestDashboardOfLessThanASite(t *testing.T) {
	path := siteRuns(t, same)
	for _, args := range [][]string{{"-u", "user1"}, {"--site", "--app", "nemo"}} {
		if text := siteSections(t, append(args, "--history", path)...); text != "" {
			t.Errorf("%v: %s", args, text)
		}
	}
}

// Runs of which nothing lately is known leave the sections out, and a site without any
// run is an error as before.
func TestDashboardOfAnEmptySite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "history.db")
	db, err := history.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	page := filepath.Join(t.TempDir(), "page.html")
	if c := ask("dashboard", "--site", "--history", path, "-o", page); c.status != 1 ||
		!strings.Contains(c.complaint, "none in the last 180 days") {
		t.Errorf("%+v", c)
	}
	old := float64(time.Now().Unix()) - 90*86400
	s := summary.Summary{Schema: summary.Schema, Key: run.Key{Cluster: "hpc", JobID: 7},
		Job: run.Job{Name: "a", App: "a", User: "dora", UID: 9, NNodes: 1}, Start: old, End: old + 60, ElapsedS: 60}
	if err := db.Put(t.Context(), s, history.Ingest{Findings: job.Findings}); err != nil {
		t.Fatal(err)
	}
	if c := ask("dashboard", "--site", "--history", path, "-o", page); c.status != 0 {
		t.Fatalf("%+v", c)
	}
	text, err := os.ReadFile(page)
	for _, title := range []string{"Slower since when", "Sick nodes", "<h2>Applications", "<h2>Waste", "<h2>Coverage",
		"NaN"} {
		if err != nil || strings.Contains(string(text), title) {
			t.Errorf("the page has %s, %v", title, err)
		}
	}
}
