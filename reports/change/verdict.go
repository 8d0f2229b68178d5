package change

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
	"jobgait/analysis/phase"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// Status is what a history's newest runs come to.
type Status string

const (
	Pass    Status = "pass"
	Watch   Status = "watch"   // seen, not confirmed
	Changed Status = "changed" // committed, and large enough to tell
	// Unknown is a history that could not be read or has too few runs: it did
	// not pass. It is null in JSON.
	Unknown Status = ""
)

// word is the status for people.
func (s Status) word() string {
	if s == Unknown {
		return "unknown"
	}
	return string(s)
}

// ShownEvent is a change as people count it, in words.
type ShownEvent struct {
	changepoint.Event
	Text  string // one sentence
	Brief string // the same without its interval
	Small bool   // below the least reported effect
	Known bool   // acknowledged
}

// judge fills events, watch and status.
func (s *Judged) judge(o Options) {
	var all []ShownEvent
	for _, found := range s.Result.Events(s.Series) {
		e := ShownEvent{Event: found}
		e.Text, e.Brief = s.sentences(e, o)
		e.Small = math.Abs(e.First().EffectPct) < o.MinEffectPct
		e.Known = s.acknowledged(e.Last(), o) ||
			e.Creep != nil && slices.ContainsFunc(s.Result.Changes, func(c changepoint.Change) bool {
				return e.Creep.Holds(c.Index) && s.acknowledged(c, o)
			})
		all = append(all, e)
	}
	s.Events = s.shown(all, o)
	slices.SortStableFunc(s.Events, byAge)
	s.Unconfirmed = s.unconfirmed(o)
	s.Watch = s.WatchSentence("The last run")
	s.Status = Pass
	switch {
	case len(s.large().Changes) > 0:
		s.Status = Changed
	case s.Watch != "":
		s.Status = Watch
	case s.Bad || slices.ContainsFunc(s.Result.Notes, func(n note.Note) bool { return n.Code == note.FewRuns }):
		s.Status = Unknown
	}
}

// acknowledged says whether somebody knows of a change; the series may be named
// by its id, or as the text names it.
func (s Judged) acknowledged(c changepoint.Change, o Options) bool {
	has := func(id string) bool { return o.Acks.Has(id, s.Index(c.Index), s.at(c.Index)) }
	return has(s.ID) || s.Name != "" && has(s.Name)
}

// at is the day of run k, NaN if there is no such run.
func (h History) at(k int) float64 {
	if k < 0 || k >= len(h.T) {
		return math.NaN()
	}
	return h.T[k]
}

// sentences say what happened, by how much, since when, and what changed then;
// brief is without the interval.
func (s Judged) sentences(e ShownEvent, o Options) (full, brief string) {
	if e.Creep != nil {
		text := s.creepText(*e.Creep, o)
		return text, text
	}
	c := e.First()
	what := quantity.Percent(math.Abs(c.EffectPct)) + " " + s.direction(c.EffectPct) + s.period(e, o)
	if c.Phase != "" {
		what += ", in its " + phaseName(c.Phase)
	}
	if c.Contention {
		what += ", waiting for CPUs"
	}
	full, brief = what, what
	if lo, hi, ok := bounds(c.EffectPct, c.LoPct, c.HiPct); ok {
		full += fmt.Sprintf(" (%s interval %s", quantity.Chosen(100*c.Level), quantity.PercentRange(lo, hi))
		if lo <= 0 {
			full += ": how much is not sure" // that the level changed is; its size may be small
		}
		full += ")"
	}
	then := consistsOf(c.Causes) + changedThen(fieldsOf(c.Causes)) + "."
	brief += then
	if s.unexplained(c) {
		then = consistsOf(c.Causes) + "; nothing that was recorded changed then."
	}
	return full + then, brief
}

// unexplained says that fields were recorded before a change and after it, and that
// none of them, but the nodes, was another then.
func (s Judged) unexplained(c changepoint.Change) bool {
	if c.Kind == changepoint.Drift ||
		slices.ContainsFunc(fieldsOf(c.Causes), func(k changepoint.Cause) bool { return k.Field != "nodes" }) {
		return false
	}
	for _, v := range s.Meta {
		if i := c.Index; i > 0 && i < len(v) && v[i-1] != "" && v[i] != "" {
			return true
		}
	}
	return false
}

// period says since when, or from when to when.
func (s Judged) period(e ShownEvent, o Options) string {
	c := e.First()
	switch {
	case len(e.Changes) > 1:
		n := e.Last().Index - c.Index
		return fmt.Sprintf(" for %s from %s, until %s", quantity.Plural(n, "run"), s.date(c.T, o), s.date(e.Last().T, o))
	case c.Kind == changepoint.Drift && c.EndIndex != nil:
		return " bit by bit from " + s.date(c.T, o) + " to " + s.date(s.at(*c.EndIndex), o)
	case c.Kind == changepoint.Drift:
		return " bit by bit since " + s.date(c.T, o)
	}
	return " since " + s.date(c.T, o)
}

// phaseName is a phase of a run as it stands in a sentence.
func phaseName(part string) string {
	switch part {
	case "startup":
		return phase.StartUp.Words()
	case "step":
		return "cycles"
	case "checkpoint":
		return "checkpoints"
	case string(phase.Unfollowed):
		return phase.Unfollowed.Words()
	}
	return text.Clean(part)
}

// telling is the largest chance of a cause that is worth a word: a field that
// changes every other run changes at every date.
const telling = 0.25

// tellingCauses leaves out fields that change too often to say anything.
func tellingCauses(causes []changepoint.Cause) []changepoint.Cause {
	return slices.DeleteFunc(slices.Clone(causes), func(c changepoint.Cause) bool { return !(c.P <= telling) })
}

// changedThen names the fields that changed with the level, the likeliest first.
func changedThen(causes []changepoint.Cause) string {
	const most = 3
	causes = tellingCauses(causes)
	var names []string
	for _, c := range causes {
		if len(names) < most {
			names = append(names, fieldName(c.Field))
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return "; " + names[0] + " changed then"
	case len(causes) > most:
		return fmt.Sprintf("; %s and %d more changed then", strings.Join(names, ", "), len(causes)-most)
	default:
		return "; " + strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " changed then"
	}
}

// fieldName is a recorded field as it stands in a sentence.
func fieldName(field string) string {
	switch field {
	case "binary", "executable", "exe", "build_id":
		return "the executable"
	case "modules":
		return "the modules"
	case "nodes", "node_list":
		return "the nodes"
	case "partition", "commit", "compiler":
		return "the " + field
	}
	if name := libraryName(field); name != "" {
		return name
	}
	return text.Clean(field)
}

// direction says what a larger or smaller value is: a time is slower or faster.
func (s Judged) direction(effectPct float64) string {
	switch {
	case isTime(s.Unit) && effectPct > 0:
		return "slower"
	case isTime(s.Unit):
		return "faster"
	case effectPct > 0:
		return "higher"
	}
	return "lower"
}

// isTime says whether values are times, as they are where nothing is said.
func isTime(unit string) bool {
	switch unit {
	case "", "s", "ms", "us", "min", "h":
		return true
	}
	return false
}

// Now says in one sentence where the history stands: its newest level and since
// when, "" if it has none.
func (s Judged) Now(o Options) string {
	if len(s.Result.Regimes) == 0 {
		return ""
	}
	g := s.Result.Regimes[len(s.Result.Regimes)-1]
	text := "Level " + s.Spread(g.Mean, g.SD)
	if len(s.Result.Regimes) > 1 {
		return fmt.Sprintf("%s since %s (%s).", text, s.Date(g.First, o), quantity.Plural(g.N, "run"))
	}
	return fmt.Sprintf("%s (%s).", text, quantity.Plural(g.N, "run"))
}

// What says what happened last, "" if nothing of any size did.
func (s Judged) What() string { return s.large().Text }

// large is the newest event that is not small, an empty one without any.
func (s Judged) large() ShownEvent {
	for _, e := range s.Events {
		if !e.Small {
			return e
		}
	}
	return ShownEvent{}
}
