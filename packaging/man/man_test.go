package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/history"
)

// pages are all pages of the tree and the built programs, by file name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	bin := os.Getenv("JOBGAIT_BIN")
	if bin == "" {
		t.Skip("JOBGAIT_BIN does not name the built programs: run make test")
	}
	t.Chdir("../..")
	list, err := allPages(bin, edition{version: "1.2", date: "2026-11-22"})
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{}
	for _, p := range list {
		texts[p.name+"."+p.section] = p.text.String()
	}
	return texts
}

// has wants a term of a page, at the beginning of an item or of a heading.
func has(t *testing.T, texts map[string]string, name, head string) {
	t.Helper()
	if !strings.Contains(texts[name], "\n"+head) {
		t.Errorf("%s has no line that begins %q", name, head)
	}
}

// What the programs and the sources have is in the pages.
func TestPagesAreWhole(t *testing.T) {
	texts := pages(t)
	help := string(must(programOutput(os.Getenv("JOBGAIT_BIN"), "jobgait", "--help"))(t))
	_, list, _ := strings.Cut(help, "\nAvailable Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	verbs := 0
	for line := range strings.Lines(list) {
		verb := strings.Fields(line)[0]
		if verb == "help" {
			continue
		}
		verbs++
		has(t, texts, "jobgait.1", `.SS "jobgait `+verb+`"`)
		_, of, _ := strings.Cut(texts["jobgait.1"], `.SS "jobgait `+verb+`"`)
		of, _, _ = strings.Cut(of, "\n.S")
		for _, flag := range regexp.MustCompile(`(?m)^ +(?:-\w, |    )(--[a-z0-9-]+)`).FindAllStringSubmatch(
			string(must(programOutput(os.Getenv("JOBGAIT_BIN"), "jobgait", verb, "--help"))(t)), -1) {
			if !strings.Contains(of, " "+escape(flag[1])+" ") {
				t.Errorf("jobgait.1 has no %s of %s", flag[1], verb)
			}
		}
	}
	if verbs < 10 {
		t.Errorf("%d verbs", verbs)
	}
	for _, path := range must(filepath.Glob("analysis/note/*.go"))(t) {
		for _, c := range regexp.MustCompile(` Code += "(\w+)"`).FindAllStringSubmatch(string(must(os.ReadFile(path))(t)),
			-1) {
			has(t, texts, "jobgait-report.7", `\fB`+c[1]+`\fR`) // also of one that has no meaning behind it
		}
	}
	for _, verb := range []string{"--sweep", "--ingest"} {
		has(t, texts, "jobgait-epilog.8", escape("jobgait-epilog "+verb))
	}
	has(t, texts, "jobgait-agent.8", escape("jobgait-agent probe"))
	for line := range strings.Lines(string(must(os.ReadFile("configs/jobgait.toml"))(t))) {
		if line = strings.TrimSpace(line); line != "" {
			has(t, texts, "jobgait.toml.5", escape(line)+"\n")
		}
	}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// The page has each view with each column, as SQLite has given them out, and each
// question of the catalogue; what sacct does not have is explained.
func TestHistoryPageIsComplete(t *testing.T) {
	t.Chdir("../..")
	schema := string(must(os.ReadFile("analysis/history/schema.sql"))(t))
	views := parseViews(schema)
	rows := strings.Split(string(must(os.ReadFile("analysis/history/testdata/views.txt"))(t)), "\n== ")[1:]
	if len(rows) != len(views) {
		t.Errorf("%d views of %d", len(views), len(rows))
	}
	for _, part := range rows {
		name, row, _ := strings.Cut(part, "\n")
		row, _, _ = strings.Cut(row, "\n\n")
		row = strings.TrimSpace(row)
		i := slices.IndexFunc(views, func(w view) bool { return w.name == name })
		if i < 0 {
			t.Errorf("no view %s", name)
			continue
		}
		if views[i].about == "" {
			t.Errorf("nothing says what the view %s is", name)
		}
		if row == "" { // no run has a section about itself; another test shows it
			row = strings.TrimSpace(string(must(os.ReadFile("analysis/history/testdata/" + name + ".txt"))(t)))
		}
		var columns []string
		for _, l := range strings.Split(row, "\n") {
			columns = append(columns, strings.Fields(l)[0])
		}
		if !slices.Equal(views[i].columns, columns) {
			t.Errorf("view %s has the columns %v, described are %v", name, columns, views[i].columns)
		}
	}
	text := must(historyPage(schema, edition{}))(t).text.String()
	for _, q := range history.CatalogueQueries() {
		if q.About == "" || !strings.Contains(text, ".SS "+quoted(q.Name)+"\n.PP") ||
			!strings.Contains(text, marked(q.About)[:20]) || !strings.Contains(text, escape(strings.Split(q.SQL, "\n")[0])) {
			t.Errorf("the page does not have %s", q.Name)
		}
	}
	known := strings.Fields(`JobID JobIDRaw Restarts SLUID Cluster User UID Account Partition QOS JobName State
		ExitCode Submit Eligible Start End Timelimit TimelimitRaw
		Elapsed ElapsedRaw NNodes NCPUS NTasks NodeList NodeName WorkDir StdOut`)
	elsewhere := strings.Fields("RunID SeriesID Application Shape StartEpoch EndEpoch AtEpoch FirstEpoch LastEpoch")
	for _, v := range views {
		for _, c := range v.columns {
			told := strings.Contains(v.about, "\n  "+c+"  ")
			if !told && !slices.Contains(known, c) && (v.name == "jobs" || !slices.Contains(elsewhere, c)) {
				t.Errorf("nothing says what %s.%s is: the comment above the view should", v.name, c)
			}
		}
	}
}

// No page has what groff warns of, or a line that it takes for a request.
func TestGroffTakesThePages(t *testing.T) {
	man, err := exec.LookPath("man")
	if err != nil {
		t.Skip("no man: the pages were not set")
	}
	dir := t.TempDir()
	for name, text := range pages(t) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(man, "--warnings=w", "-E", "UTF-8", "-l", "-Tutf8", "-Z", path)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8")
		var said strings.Builder
		cmd.Stdout, cmd.Stderr = io.Discard, &said
		if err := cmd.Run(); err != nil || said.Len() > 0 {
			t.Errorf("%s: %v\n%s", name, err, said.String())
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{
		"-a `b-c` it's":  `\-a \fBb\-c\fR it\(aqs`,
		`back\slash ^~±`: `back\eslash \(ha\(ti\[u00B1]`,
	} {
		if got := marked(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
	p := &page{}
	p.prose("one\ntwo\n\n  kept  as\n  .it is\n\n.TH not a request")
	if got, want := p.text.String(),
		".PP\none two\n.PP\n.nf\n  kept  as\n  .it is\n.fi\n.PP\n\\&.TH not a request\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
