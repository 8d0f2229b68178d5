package job

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/finding"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/reports/text"
)

// statement is one statement at the head of the report.
type statement struct {
	Level finding.Level
	Text  string
	// Action is what to change or to type, "" where there is nothing to suggest.
	Action string
}

// Mark returns the letter before a statement: X for an error, ! for a warning, i for the rest.
func (s statement) Mark() string {
	switch s.Level {
	case finding.Error:
		return "X"
	case finding.Warning:
		return "!"
	}
	return "i"
}

// headStatements returns the head of the report: the first findings, then a line on the period if the run has one. It
// leaves out an action that is also the report's next step, which has a line of its own.
func (r Report) headStatements() []statement {
	var out []statement
	for _, f := range finding.Head(r.Findings) {
		v := statement{Level: f.Level, Text: f.Text}
		if f.Action != nil && *f.Action != string(r.Next) { // that one has a line of its own
			v.Action = *f.Action
		}
		out = append(out, v)
	}
	if r.Rhythm.Periodic {
		out = append(out, statement{Level: finding.Info, Text: r.Rhythm.periodSentence()})
	}
	return out
}

// periodSentence returns a sentence on the main pattern, and on the second one if there is one.
func (r Rhythm) periodSentence() string {
	p := r.Patterns[0]
	if len(r.Patterns) == 1 {
		return p.claim() + "."
	}
	q := r.Patterns[1]
	return fmt.Sprintf("%s (%s), or %s (%s: %s times, %s).", p.claim(), p.ID,
		quantity.Period(q.Period.value()), q.ID, quantity.Count(q.Instances), quantity.Share(q.Coverage))
}

// failed reports whether the run is known to have failed.
func (r Report) failed() bool {
	s := summary.Summary{State: string(r.Job.State)}
	if j := r.Job; j.ExitCode != nil && j.ExitSignal != nil {
		s.Exit = &run.Exit{Code: *j.ExitCode, Signal: *j.ExitSignal}
	}
	return failed(s)
}

// doubts returns sentences on what makes the samples doubtful: one on missing nodes, and one on the first
// reason why the samples do not cover the run.
func (r Report) doubts() []string {
	var out []string
	if n := r.Nodes; len(n.Missing) > 0 {
		verb := "are"
		if len(n.Missing) == 1 {
			verb = "is"
		}
		out = append(out, fmt.Sprintf("%d of %s %s not in this report: %s.", len(n.Missing), quantity.Plural(n.Total, "node"),
			verb, firstNames(n.Missing, 4)))
	}
	texts := [...]struct {
		code note.Code
		text string
	}{
		{note.AgentDied, "Sampling stopped before the end of the run; the rest is not in this report."},
		{note.ProfileBad, "Part of the samples could not be read."},
		{note.SpoolFull, "The spool was full: part of the samples was not written."},
		{note.AgentLate, "Sampling began after the job did; its start is not in this report."},
	}
	for _, t := range texts {
		if slices.ContainsFunc(r.Notes, func(n Note) bool { return n.Code == t.code }) {
			return append(out, t.text)
		}
	}
	if text, _ := r.missing(); text != "" {
		out = append(out, text)
	}
	return out
}

// firstNames returns the first n names of a list, each cut to 40 columns, and the number of the rest.
func firstNames(all []string, n int) string {
	names := make([]string, len(all))
	for i, name := range all {
		names[i] = text.Cut(name, 40)
	}
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}
