package job

import (
	"encoding/json"
	"strings"

	"jobgait/analysis/finding"
	"jobgait/reports/html"
	"jobgait/reports/text"
)

// Section is the result of an analysis over the user's runs that concerns this run. Its maker knows those runs;
// this package only prints it. All text of users in it is clean.
type Section struct {
	// Title and Remark are the heading of the section.
	Title, Remark string
	// Others are printed at the head of the report, after the rhythm.
	Others []finding.Comparison
	// Text is the body of the section, one paragraph per element.
	Text []string
	// Charts are figures for the page, Style the CSS that they need beyond the page's own style sheet.
	Charts []html.Figure
	Style  string
	// Data is the section's JSON form; nil is written as null.
	Data json.RawMessage
}

// OtherRuns holds the sections about the user's other runs. Sections without text are not printed.
type OtherRuns struct {
	Changes Section // since when runs of this shape are faster or slower
	Scaling Section // how the application scales, and where that changes
	// Fewer says how long a cycle takes on fewer nodes; nil where that is unknown.
	Fewer *finding.Scaling
	// OtherArguments is the number of runs that differ from this one only by their arguments.
	OtherArguments int
}

// printed returns the sections of a that have text. The others are not printed.
func (a OtherRuns) printed() []Section {
	var out []Section
	for _, f := range []Section{a.Changes, a.Scaling} {
		if len(f.Text) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// others returns the comparisons of all printed sections.
func (a OtherRuns) others() []finding.Comparison {
	var out []finding.Comparison
	for _, f := range a.printed() {
		out = append(out, f.Others...)
	}
	return out
}

// style returns the page's style sheet with the CSS of the sections' figures.
func (a OtherRuns) style() string {
	css := html.Style()
	for _, f := range a.printed() {
		css += f.Style
	}
	return css
}

// textOtherRuns prints the sections about the user's other runs.
func (r Report) textOtherRuns(p *text.Page) {
	for _, f := range r.otherRuns.printed() {
		p.Section(strings.ToUpper(f.Title), f.Remark)
		for _, text := range f.Text {
			p.Text("  ", text)
		}
	}
}
