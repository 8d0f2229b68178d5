package job

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	stdhtml "html"
	"io"
	"math/rand/v2"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
	"jobgait/reports/html"
	"jobgait/reports/pagetest"
	"jobgait/reports/text"
)

func pageOf(t *testing.T, s summary.Summary, past []history.Run) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, New(s, past, options())); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// between returns the text between the first occurrences of two strings.
func between(t *testing.T, s, from, to string) string {
	t.Helper()
	_, s, ok := strings.Cut(s, from)
	s, _, ok2 := strings.Cut(s, to)
	if !ok || !ok2 {
		t.Fatalf("no %q ... %q", from, to)
	}
	return s
}

// The page is complete in itself: what it loads, and what could load anything.
func TestPageIsSelfContained(t *testing.T) {
	for _, run := range runs() {
		page := pageOf(t, run.s, run.past)
		if len(page) > 300_000 {
			t.Errorf("%s has %d bytes", run.name, len(page))
		}
		csp := stdhtml.UnescapeString(between(t, page, `http-equiv="Content-Security-Policy" content="`, `"`))
		style, script := between(t, page, "<style>", "</style>"), between(t, page, "<script>", "</script>")
		for _, part := range []string{"default-src 'none'", "script-src '" + html.Hash(script) + "'", "style-src '" +
			html.Hash(style) + "'",
			"img-src data:", "base-uri 'none'", "form-action 'none'"} {
			if !strings.Contains(csp, part) {
				t.Errorf("%s: policy %q lacks %q", run.name, csp, part)
			}
		}
		if n := strings.Count(page, "<script"); n != 1 {
			t.Errorf("%s has %d scripts", run.name, n)
		}
		for _, bad := range []string{" style=", "href=", "url(", "http:", "https:", "//cdn", "@import", "innerHTML",
			"eval("} {
			// The files beside the page are the only links.
			rest := regexp.MustCompile(`<a href="jobgait-[\w.-]+">`).ReplaceAllString(page, "")
			if strings.Contains(strings.ReplaceAll(rest, "http://www.w3.org/2000/svg", ""), bad) {
				t.Errorf("%s has %q", run.name, bad)
			}
		}
	}
}

// For a run of any size the page stays small: thousands of nodes, phases and notes, and noise in every column.
func TestPageStaysSmall(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := nemo()
	s.Nodes, s.Phases, s.Timeline.Columns = nil, nil, nil
	for i := range 10_000 {
		s.Nodes = append(s.Nodes, summary.Node{Name: fmt.Sprintf("rack-%05d.cluster.example", i), Reported: i%7 > 0,
			BusyCPUs: ptr(64 * r.Float64()), PeriodS: ptr(r.Float64()), Samples: 1000, Missing: 1})
		s.Notes = append(s.Notes, note.New(note.AgentLate, "sampling began %d s after the run", i))
	}
	for i := range 6000 {
		s.Phases = append(s.Phases, phase.Phase{Kind: []phase.Stage{phase.Loop, phase.Gap}[i%2],
			Pattern: []string{"A", ""}[i%2],
			StartS:  0.6 * float64(i), EndS: 0.6 * float64(i+1), Share: 1. / 6000})
	}
	for i := range 12 {
		c := summary.TimelineColumn{Name: fmt.Sprint("column ", i), Unit: "1/s"}
		for range 960 {
			v := float32(1e6 * r.Float64())
			c.Min, c.Mean, c.Max = append(c.Min, v*0.234567), append(c.Mean, v), append(c.Max, v*1.98765)
		}
		s.Timeline.Columns = append(s.Timeline.Columns, c)
	}
	for _, periodS := range []float64{0.6, 6 * s.Timeline.StepS, 60 * s.Timeline.StepS} {
		s.Patterns[0].PeriodS = periodS
		n := len(pageOf(t, s, past(200)))
		if t.Logf("%d bytes", n); n > 350_000 {
			t.Errorf("%d bytes at a period of %g s", n, periodS)
		}
	}
	if n := strings.Count(textOf(t, New(s, past(200), options())), "\n"); n > 150 {
		t.Errorf("the text has %d lines", n)
	}
}

func TestPictures(t *testing.T) {
	for _, run := range runs() {
		page := pageOf(t, run.s, run.past)
		for _, svg := range pagetest.Pictures(page) {
			d := xml.NewDecoder(strings.NewReader(svg))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: %v in %.200s", run.name, err, svg)
				}
			}
			if strings.Contains(svg, "NaN") || strings.Contains(svg, "Inf") {
				t.Errorf("%s: no number in %.200s", run.name, svg)
			}
		}
		if n := len(pagetest.Pictures(page)); run.name == "periodic" && n < 7 {
			t.Errorf("periodic has %d pictures", n)
		}
	}
}

// A hostile name is printed as text everywhere.
func TestHostileNamesStayText(t *testing.T) {
	page := pageOf(t, hostile(), past(2))
	if strings.Contains(page, "<script>alert") || strings.Contains(page, "<img") ||
		strings.Contains(page, "</title></script>") {
		t.Error("markup of a job name is markup of the page")
	}
	if strings.ContainsAny(page, "\x00\x1b\u202e\u2066") {
		t.Error("a control character is in the page")
	}
	if !strings.Contains(page, "&lt;script&gt;alert(1)") {
		t.Error("the name is not in the page as text")
	}
}

func TestPageBeginsInPlainWords(t *testing.T) {
	page := pageOf(t, nemo(), nil)
	head, _, _ := strings.Cut(page, "-->")
	for _, want := range []string{htmlMark, "Download this page", "jobgait-812345.txt"} {
		if !strings.Contains(head, want) {
			t.Errorf("the page begins with %q: no %q", head, want)
		}
	}
	o := options()
	o.Version = "1--><script>"
	var b bytes.Buffer
	if err := HTML(&b, New(nemo(), nil, o)); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(between(t, b.String(), "<!--", "<!doctype"), "--><script") {
		t.Error("the version ends the comment")
	}
}

// Text and page print the same figures.
func TestSameFigures(t *testing.T) {
	for _, run := range runs() {
		if run.name == "hostile" { // its names are cut to fit the text's columns
			continue
		}
		r := New(run.s, run.past, options())
		page := stdhtml.UnescapeString(pageOf(t, run.s, run.past))
		words := strings.Join(strings.Fields(textOf(t, r)), " ")
		for _, rows := range [][]text.Row{r.Rhythm.patternRows(), r.phaseRows(), r.nodeRows(), r.counterRows(), r.runRows()} {
			for _, row := range rows[min(1, len(rows)):] {
				for _, c := range row {
					if !strings.Contains(page, c.Text) || !strings.Contains(words, c.Text) {
						t.Errorf("%s: %q is not in both", run.name, c.Text)
					}
				}
			}
		}
	}
}

func TestSamplesAreJSON(t *testing.T) {
	for _, run := range runs() {
		var v struct {
			Columns []struct{ Min, Mean, Max []*float64 }
			Phases  [][]any
		}
		if err := json.Unmarshal([]byte(New(run.s, run.past, options()).samples()), &v); err != nil {
			t.Errorf("%s: %v", run.name, err)
		}
		for _, c := range v.Columns {
			if noRange := c.Min == nil && c.Max == nil; !noRange && (len(c.Min) != len(c.Mean) || len(c.Max) != len(c.Mean)) ||
				len(c.Mean) == 0 {
				t.Errorf("%s: %d, %d, %d samples", run.name, len(c.Min), len(c.Mean), len(c.Max))
			}
		}
	}
}

// In a browser: the script runs under its policy and nothing is refused. Needs
// Chromium; without it there is nothing to see.
func TestBrowser(t *testing.T) {
	if dom := pagetest.Open(t, pageOf(t, hostile(), past(8))); !strings.Contains(dom, "drag to zoom") {
		t.Error("the script did not run")
	}
}

// Keys and pointer have the same effect in all pictures, and the position stays within the run.
func TestScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil || exec.Command(node, "-e", "0").Run() != nil {
		t.Skip("no node that runs")
	}
	cmd := exec.Command(node, "testdata/page_script.js")
	cmd.Stdin = strings.NewReader(html.Script())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pagetest.Golden(t, "page_script.txt", out)
}
