package earlier

import (
	"html/template"

	"jobgait/analysis/note"
	"jobgait/reports/change"
	"jobgait/reports/html"
	"jobgait/reports/job"
	"jobgait/reports/plot"
	scalingreport "jobgait/reports/scaling"
)

// maxText is the largest length of one text of a judgement in bytes.
const maxText = 2000

// Untrusted returns a judgement from a child process of another account in a form that is safe to show: with
// pictures of package plot only, the style sheets of this program, and texts without control characters.
func (j Judgement) Untrusted() Judgement {
	j.Across.Changes = untrusted(j.Across.Changes, change.Style())
	j.Across.Scaling = untrusted(j.Across.Scaling, scalingreport.Style)
	return j
}

// untrusted returns a section that is safe to show: it cleans the texts, drops charts that are not safe, and
// replaces the section's style sheet, if it has one, by style.
func untrusted(s job.Section, style string) job.Section {
	s.Title, s.Remark = note.Clean(s.Title, maxText), note.Clean(s.Remark, maxText)
	texts := make([]string, len(s.Text))
	for i, text := range s.Text {
		texts[i] = note.Clean(text, maxText)
	}
	if s.Text = texts; len(texts) == 0 {
		s.Text = nil
	}
	var charts []html.Figure
	for _, c := range s.Charts {
		picture, err := plot.CleanSVG(string(c.SVG))
		if err == nil {
			charts = append(charts, html.Figure{Title: note.Clean(c.Title, maxText), Remark: note.Clean(c.Remark, maxText),
				SVG: template.HTML(picture)})
		}
	}
	s.Charts = charts
	if s.Style != "" {
		s.Style = style
	}
	return s
}
