package job

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// Form is one form of the report: its format and its file name.
type Form struct {
	Format string `json:"format"`
	Name   string `json:"name"`
}

// formats lists the forms of a report, in the order in which they are printed.
var formats = [...]string{"txt", "json", "html"}

// FileNames returns the directory below the place of delivery ("" for none) and
// the name without extension of a run's report: jobgait-123, jobgait-123.r1
// after a restart, jobgait-123.run2 for the second `jobgait run` in a job, and
// jobgait-100/jobgait-100_7 for an element of an array.
func FileNames(s summary.Summary) (dir, base string) {
	if a := s.Job.ArrayJobID; a != nil && s.Job.ArrayTaskID != nil {
		dir = fmt.Sprintf("jobgait-%d", *a)
	}
	return dir, baseName(s.DisplayID(), s.Key.Restart, s.Key.Sub)
}

// baseName returns the name without extension of the report of a run: the sub-th `jobgait run` in a job, 0 for the job
// itself.
func baseName(displayID string, restart, sub int) string {
	base := "jobgait-" + displayID
	if restart > 0 {
		base += fmt.Sprintf(".r%d", restart)
	}
	if sub > 0 {
		base += fmt.Sprintf(".run%d", sub)
	}
	return base
}

// PagePath returns the path of the HTML page that was delivered for a stored run, "" if the run's report has no known
// directory. The file may be missing: the page need not be among the delivered forms, and users move files.
func PagePath(r history.Run) string {
	if !filepath.IsAbs(r.ReportDir) {
		return ""
	}
	return filepath.Join(r.ReportDir, baseName(r.DisplayID, r.Restart, r.Sub)+".html")
}

// newFiles returns the forms in want with their file names, in the order of formats. It leaves out unknown forms.
func newFiles(s summary.Summary, want []string) []Form {
	_, base := FileNames(s)
	out := []Form{}
	for _, f := range formats {
		if slices.Contains(want, f) {
			out = append(out, Form{f, base + "." + f})
		}
	}
	return out
}

// file returns the file name of a form of the report, "" if that form is not written.
func (r Report) file(format string) string {
	for _, f := range r.Files {
		if f.Format == format {
			return f.Name
		}
	}
	return ""
}

// textFiles prints the names of the report's HTML and JSON files, as far as these are written, and the help
// command that explains the report's words.
func (r Report) textFiles(p *text.Page) {
	p.Line("")
	line := ""
	for _, part := range []string{r.named("Pictures", "html"), r.named("Numbers", "json"), "Words jobgait help report"} {
		if line != "" && part != "" && text.Width(line)+3+text.Width(part) >= text.PageWidth {
			p.Line(line)
			line = ""
		}
		if part != "" {
			line = strings.Trim(line+"   "+part, " ")
			line = " " + line
		}
	}
	p.Line(line)
}

// named returns what and the file name of the form, "" if that form is not written.
func (r Report) named(what, format string) string {
	if name := r.file(format); name != "" {
		return what + " " + name
	}
	return ""
}
