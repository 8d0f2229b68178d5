package job

import (
	"strings"

	"jobgait/analysis/quantity"
	"jobgait/analysis/stacks"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// Stalled is that the run's processes did nothing any more when it ended.
type Stalled struct {
	SinceS float64 `json:"since_s"`
	Doing  string  `json:"doing"`
	// NoLoop is whether the run was in no loop before.
	NoLoop bool `json:"no_loop"`
	// Summary says in one line in which functions its tasks were, "" where that was not read.
	Summary string `json:"summary"`
	// Groups are the tasks by their call stacks, as in jobgait.stack/1.
	Groups []stacks.Group `json:"groups"`
}

// maxStallLine is how many characters the summary of a stall has in a finding.
const maxStallLine = 600

// newStalled returns what the run's processes did, and their call stacks, if they did nothing any more when the run
// ended; nil for a run that was at work to its end.
func newStalled(s summary.Summary) *Stalled {
	if s.Silence == nil {
		return nil
	}
	out := &Stalled{SinceS: s.Silence.SinceS, Doing: text.Clean(s.Silence.Doing), NoLoop: s.Silence.NoLoop,
		Groups: []stacks.Group{}}
	if r := s.Silence.Stacks; r != nil && len(r.Groups) > 0 {
		out.Groups = r.Groups
		out.Summary = stacks.Line(r.Groups, r.Notes, maxStallLine)
	}
	return out
}

// stackTree returns the call stacks of a stalled run as an indented tree, in which calls that tasks have in
// common are printed once; "" if the run did not stall.
func (r Report) stackTree() string {
	if r.Stalled == nil {
		return ""
	}
	var b strings.Builder
	for _, branch := range stacks.Tree(r.Stalled.Groups) {
		mark := "  "
		if branch.Odd {
			mark = "* "
		}
		b.WriteString(strings.Repeat("    ", branch.Depth) + mark + branch.Text() + "\n")
	}
	return b.String()
}

// stackRemark says what the tree shows.
func (r Report) stackRemark() string {
	return quantity.Plural(stacks.Tasks(r.Stalled.Groups), "task") +
		" when the run stalled; outermost function first; * differs from the others"
}
