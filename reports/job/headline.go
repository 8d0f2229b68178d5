package job

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/finding"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// headline returns the run in a sentence that can be forwarded: how it ended if it failed, which code took
// the time, the cycle, CPUs and memory. Unknown parts are left out; without any it returns "".
func (r Report) headline() string {
	var parts []string
	add := func(part string) {
		if part != "" {
			parts = append(parts, part)
		}
	}
	switch {
	case slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return f.Code == "out_of_memory" }):
		add("ran out of memory")
	case r.failed():
		add(r.Job.Ended)
	}
	if r.Code != nil {
		functions, _ := r.Code.leadingFunctions()
		add(strings.Join(functions, ", "))
	}
	if r.Rhythm.Periodic {
		q := r.Rhythm.Patterns[0]
		add(fmt.Sprintf("a cycle of %s%s, %s times", text.Qualifier(q.Confidence), quantity.Period(q.Period.value()),
			quantity.Count(q.Instances)))
	}
	if c := r.Resources.CPU; c.Busy != nil && c.Allocated != nil && !r.partial() {
		add(fmt.Sprintf("%s of %s busy", cpus(*c.Busy), quantity.Plural(int(*c.Allocated), "CPU")))
	}
	if m := r.Resources.Memory; m.PeakBytes != nil {
		part := "memory " + quantity.Amount(*m.PeakBytes, "B")
		if m.RequestedBytes != nil {
			part += " of " + quantity.Amount(*m.RequestedBytes, "B")
		}
		add(part)
	}
	if len(parts) == 0 {
		return ""
	}
	return text.Sentence(strings.Join(parts, "; "))
}

// Outcome returns how the run ended and where it stopped, and the text of the first finding that does not repeat that,
// "" if none exists.
func (r Report) Outcome() (ended, found string) {
	for _, f := range r.Findings {
		if !finding.SaysHowItEnded(f.Code) {
			return r.ended(), f.Text
		}
	}
	return r.ended(), ""
}
