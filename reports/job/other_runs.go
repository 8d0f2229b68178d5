package job

import (
	"encoding/json"
	"strings"

	"jobgait/analysis/finding"
	"jobgait/reports/html"
	"jobgait/reports/text"
)

// Finding is what an analysis over the user's runs says of this one: made where
// those runs are known, printed here. All text of users in it is clean.
type Section struct {
	// Title and Remark head its section.
	Title, Remark string
	// Others stand at the head of the report, after the rhythm.
	Others []finding.Comparison
	// Text is the section, a paragraph each.
	Text []string
	// Charts are pictures for the page, Style what their classes look like
	// beyond the page's own style sheet.
	Charts []html.Figure
	Style  string
	// Data is its JSON form; nil is null.
	Data json.RawMessage
}

// Across are the findings over the user's runs. Those without text are not
// printed.
type OtherRuns struct {
	Changes Section // since when runs of this shape have another speed
	Scaling Section // how the application grows, and where that changes
	// Fewer is what a cycle takes on fewer nodes, nil where that is not known.
	Fewer *finding.Scaling
	// OtherArguments is how many runs differ from this one by their arguments only.
	OtherArguments int
}

// printed returns the findings that have something to say.
func (a OtherRuns) printed() []Section {
	var out []Section
	for _, f := range []Section{a.Changes, a.Scaling} {
		if len(f.Text) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// others are those of all findings.
func (a OtherRuns) others() []finding.Comparison {
	var out []finding.Comparison
	for _, f := range a.printed() {
		out = append(out, f.Others...)
	}
	return out
}

// style is the page's style sheet with what the findings' pictures need.
func (a OtherRuns) style() string {
	css := html.Style()
	for _, f := range a.printed() {
		css += f.Style
	}
	return css
}

// textAcross prints one section a finding.
func (r Report) textAcross(p *text.Page) {
	for _, f := range r.otherRuns.printed() {
		p.Section(strings.ToUpper(f.Title), f.Remark)
		for _, text := range f.Text {
			p.Text("  ", text)
		}
	}
}
