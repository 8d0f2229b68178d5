package earlier

import (
	"html/template"

	"jobgait/analysis/finding"
	"jobgait/analysis/note"
	"jobgait/reports/change"
	"jobgait/reports/html"
	"jobgait/reports/job"
	"jobgait/reports/plot"
	scalingreport "jobgait/reports/scaling"
)

// maxText is the largest length of one text of a judgement in bytes.
const maxText = 2000

// Untrusted returns a judgement from a child process of another account with only pictures of package plot, the style
// sheets of this program, and texts without control characters in its sections. Data stays as it is: it is JSON, in
// which control characters are escaped.
func (j Judgement) Untrusted() Judgement {
	j.Across.Changes = untrusted(j.Across.Changes, change.Style())
	j.Across.Scaling = untrusted(j.Across.Scaling, scalingreport.Style)
	return j
}

// untrusted cleans the texts of a section, drops charts that are not safe, and replaces the section's style sheet, if
// it has one, by style. It leaves Data as it is.
func untrusted(s job.Section, style string) job.Section {
	s.Title, s.Remark = note.Clean(s.Title, maxText), note.Clean(s.Remark, maxText)
	texts := make([]string, len(s.Text))
	for i, text := range s.Text {
		texts[i] = note.Clean(text, maxText)
	}
	if s.Text = texts; len(texts) == 0 {
		s.Text = nil
	}
	s.Others = untrustedComparisons(s.Others)
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

// untrustedComparisons returns comparisons whose texts have no control characters.
func untrustedComparisons(all []finding.Comparison) []finding.Comparison {
	var out []finding.Comparison
	for _, c := range all {
		c.Text, c.Command = note.Clean(c.Text, maxText), note.Clean(c.Command, maxText)
		if c.Shift != nil {
			s := *c.Shift
			s.What, s.LastJob, s.FirstJob = note.Clean(s.What, maxText), note.Clean(s.LastJob, maxText),
				note.Clean(s.FirstJob, maxText)
			c.Shift = &s
		}
		out = append(out, c)
	}
	return out
}
