package reports

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/summary"
)

// Word is text that may be unknown: "" here, null in JSON, "-" in print.
type Word string

// MarshalJSON writes null for unknown text.
func (w Word) MarshalJSON() ([]byte, error) {
	if w == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(w))
}

// String returns the text, or "-".
func (w Word) String() string {
	if w == "" {
		return "-"
	}
	return string(w)
}

// maxRunes is where text of users is cut: a job name may have a kilobyte.
const maxRunes = 200

// Clean makes text of users fit to print. Control characters (so escape
// sequences of terminals lose their ESC), characters that reorder or hide text
// (bidirectional controls, zero width, tags) and broken UTF-8 become spaces;
// runs of spaces become one; what is longer than 200 runes is cut.
func Clean(s string) string {
	if len(s) > 16*maxRunes { // bounds the work, before the exact cut
		s = s[:16*maxRunes]
	}
	s = strings.Join(strings.Fields(strings.Map(printable, strings.ToValidUTF8(s, " "))), " ")
	runes := []rune(s)
	if len(runes) > maxRunes {
		return string(runes[:maxRunes-3]) + "..."
	}
	return s
}

// printable returns r, or a space for what must not be printed. Cf covers bidi
// controls, zero-width characters and tags; combining marks stay only as part
// of what the width table counts as zero columns.
func printable(r rune) rune {
	switch {
	case r == unicode.ReplacementChar, unicode.IsControl(r), unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp):
		return ' '
	case unicode.IsSpace(r), !unicode.IsPrint(r):
		return ' '
	}
	return r
}

// cleanSummary returns s with all text cleaned. Lists are copied before they
// are changed: the caller's summary stays as it is.
func cleanSummary(s summary.Summary) summary.Summary {
	for _, w := range []*string{&s.Key.Cluster, &s.Key.SLUID, &s.State, &s.LeadNode, &s.Quality.Scope,
		&s.Job.Name, &s.Job.User, &s.Job.Account, &s.Job.Partition, &s.Job.QOS, &s.Job.NodeList,
		&s.Job.WorkDir, &s.Job.StdOut, &s.Job.Executable, &s.Job.Script, &s.Job.App, &s.Job.Size} {
		*w = Clean(*w)
	}
	if s.Silence != nil {
		s.Silence = &summary.Silence{SinceS: s.Silence.SinceS, Doing: Clean(s.Silence.Doing)}
	}
	s.Nodes = slices.Clone(s.Nodes)
	for i := range s.Nodes {
		s.Nodes[i].Name = Clean(s.Nodes[i].Name)
	}
	s.Notes = slices.Clone(s.Notes)
	for i, n := range s.Notes {
		s.Notes[i] = note.Note{Code: note.Code(Clean(string(n.Code))), Text: Clean(n.Text), Node: Clean(n.Node)}
	}
	s.Counters = slices.Clone(s.Counters)
	for i, c := range s.Counters {
		s.Counters[i].Name, s.Counters[i].Unit, s.Counters[i].Scope = Clean(c.Name), Clean(c.Unit), Clean(c.Scope)
	}
	s.Quality.Sources = slices.Clone(s.Quality.Sources)
	for i, c := range s.Quality.Sources {
		s.Quality.Sources[i] = summary.Source{Name: Clean(c.Name), Event: Clean(c.Event), PMU: Clean(c.PMU),
			Config: Clean(c.Config), Scope: Clean(c.Scope), Hz: c.Hz, Absent: Clean(c.Absent)}
	}
	s.Patterns, s.Timeline.Columns = cleanPatterns(s.Patterns), cleanColumns(s.Timeline.Columns)
	if s.Minute != nil {
		m := *s.Minute
		m.Columns = cleanColumns(m.Columns)
		s.Minute = &m
	}
	s.Loops, s.Macros, s.Agreement = cleanLoops(s.Loops), cleanMacros(s.Macros), cleanAgreement(s.Agreement)
	s.Phases = slices.Clone(s.Phases)
	for i := range s.Phases {
		s.Phases[i].Pattern = Clean(s.Phases[i].Pattern)
	}
	return s
}

func cleanPatterns(in []pattern.Pattern) []pattern.Pattern {
	out := slices.Clone(in)
	for i, p := range out {
		out[i].ID, out[i].Column = Clean(p.ID), Clean(p.Column)
		out[i].ValuesColumn, out[i].ValuesUnit = Clean(p.ValuesColumn), Clean(p.ValuesUnit)
	}
	return out
}

func cleanColumns(in []summary.TimelineColumn) []summary.TimelineColumn {
	out := slices.Clone(in)
	for i, c := range out {
		out[i].Name, out[i].Unit, out[i].Scope = Clean(c.Name), Clean(c.Unit), Clean(c.Scope)
	}
	return out
}
