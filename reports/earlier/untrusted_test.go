package earlier

import (
	"html/template"
	"strings"
	"testing"

	"jobgait/analysis/finding"
	"jobgait/reports/html"
	"jobgait/reports/job"
	"jobgait/reports/plot"
)

// The answer of a child process puts no code and no style into a report.
func TestUntrustedJudgement(t *testing.T) {
	section := job.Section{Title: "Changes\x1b[2J", Remark: "r", Text: []string{"slower\x07"},
		Others: []finding.Comparison{{Text: "slower\x07", Command: "\x1b[2J", Shift: &finding.Shift{What: "\x07"}}},
		Style:  "</style><script>alert(1)</script>",
		Charts: []html.Figure{{Title: "own", SVG: template.HTML(plot.Swatch("value"))},
			{Title: "other", SVG: "<svg onload=alert(1)></svg>"}}}
	j := Judgement{Across: job.OtherRuns{Changes: section, Scaling: section}}.Untrusted()
	for _, s := range []job.Section{j.Across.Changes, j.Across.Scaling} {
		if len(s.Charts) != 1 || s.Charts[0].Title != "own" || strings.Contains(s.Style, "script") ||
			strings.ContainsAny(s.Title+s.Text[0]+s.Others[0].Text+s.Others[0].Command+s.Others[0].Shift.What, "\x1b\x07") {
			t.Errorf("%+v", s)
		}
	}
	if j := (Judgement{}).Untrusted(); j.Across.Changes.Text != nil || j.Across.Changes.Charts != nil {
		t.Errorf("%+v", j)
	}
}
