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

// Status is the judgement of a history's newest runs.
type Status string

const (
	Pass    Status = "pass"
	Watch   Status = "watch"   // seen, not confirmed
	Changed Status = "changed" // confirmed, and large enough to report
	// Unknown is the status of a history that could not be read or has too few runs. It is null in JSON.
	Unknown Status = ""
)

// StatusText returns the history's status for people.
func (s JudgedHistory) StatusText() string {
	switch {
	case s.Status == Changed:
		return "changed"
	case s.Status == Watch:
		return "may be changing"
	case s.Status == Pass:
		return "no change"
	case s.Bad:
		return "could not be read"
	case s.Values() == 0:
		return "no usable run"
	}
	return "too few runs"
}

// ShownEvent is an event in words.
type ShownEvent struct {
	changepoint.Event
	Text  string // one sentence
	Brief string // the same without its interval
	Small bool   // below the smallest reported effect
	Known bool   // acknowledged
}

// judge sets Events, Unconfirmed, Watch and Status. The status is Changed if an event of the reported days is not
// small, else Watch if there is an unconfirmed deviation, else Unknown if the history could not be read or has too few
// runs, else Pass.
func (s *JudgedHistory) judge(o Options) {
	var all []ShownEvent
	for _, found := range s.Result.Events(s.Series) {
		e := ShownEvent{Event: found}
		e.Text, e.Brief = s.sentences(e, o)
		e.Small = math.Abs(e.First().EffectPct) < o.MinEffectPct
		e.Known = s.acknowledged(e.Last(), o) ||
			e.Creep != nil && slices.ContainsFunc(s.Result.Changes, func(c changepoint.Change) bool {
				return e.Creep.Explains(c.Index) && s.acknowledged(c, o)
			})
		all = append(all, e)
	}
	s.Events = s.shown(all, o)
	slices.SortStableFunc(s.Events, byAge)
	s.Unconfirmed = s.unconfirmed(o)
	s.Watch = s.WatchSentence("The last run")
	s.Status = Pass
	switch {
	case len(s.newestLargeEvent().Changes) > 0:
		s.Status = Changed
	case s.Watch != "":
		s.Status = Watch
	case s.Bad || slices.ContainsFunc(s.Result.Notes, func(n note.Note) bool { return n.Code == note.FewRuns }):
		s.Status = Unknown
	}
}

// acknowledged reports whether a change was acknowledged, under the series' id or its printed name.
func (s JudgedHistory) acknowledged(c changepoint.Change, o Options) bool {
	has := func(id string) bool { return o.Acks.Has(id, s.Index(c.Index), s.at(c.Index)) }
	return has(s.ID) || s.Name != "" && has(s.Name)
}

// at returns the day of run k, NaN if there is no such run.
func (h History) at(k int) float64 {
	if k < 0 || k >= len(h.T) {
		return math.NaN()
	}
	return h.T[k]
}

// sentences returns a sentence on what happened, by how much, since when, and what changed then. brief leaves out the
// interval, and that nothing recorded changed then.
func (s JudgedHistory) sentences(e ShownEvent, o Options) (full, brief string) {
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
	then := mainFunctionText(c.Causes) + changedFieldsText(fieldCauses(c.Causes)) + "."
	brief += then
	if s.unexplained(c) {
		then = mainFunctionText(c.Causes) + "; nothing that was recorded changed then."
	}
	return full + then, brief
}

// unexplained reports whether fields were recorded before and after a change and none of them except the nodes
// changed with it.
func (s JudgedHistory) unexplained(c changepoint.Change) bool {
	if c.Kind == changepoint.Drift ||
		slices.ContainsFunc(fieldCauses(c.Causes), func(k changepoint.Cause) bool { return k.Field != "nodes" }) {
		return false
	}
	for _, v := range s.Meta {
		if i := c.Index; i > 0 && i < len(v) && v[i-1] != "" && v[i] != "" {
			return true
		}
	}
	return false
}

// period says since when an event lasts, or from when to when it lasted.
func (s JudgedHistory) period(e ShownEvent, o Options) string {
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

// phaseName returns the name of a phase for a sentence.
func phaseName(part string) string {
	switch part {
	case "startup":
		return phase.StartUp.ReaderText()
	case "step":
		return "cycles"
	case "checkpoint":
		return "checkpoints"
	case string(phase.Unfollowed):
		return phase.Unfollowed.ReaderText()
	}
	return text.Clean(part)
}

// maxCauseChance is the largest probability of a coincidence at which a cause is mentioned: a field that
// changes every other run changes at every date.
const maxCauseChance = 0.25

// tellingCauses returns the causes without fields that change too often to explain anything.
func tellingCauses(causes []changepoint.Cause) []changepoint.Cause {
	return slices.DeleteFunc(slices.Clone(causes), func(c changepoint.Cause) bool { return !(c.P <= maxCauseChance) })
}

// changedFieldsText names the first three fields that changed with the level, in the order of causes, and counts the
// rest. It leaves out fields that change too often to explain anything; "" if none is left.
func changedFieldsText(causes []changepoint.Cause) string {
	const maxNamed = 3
	causes = tellingCauses(causes)
	var names []string
	for _, c := range causes {
		if len(names) < maxNamed {
			names = append(names, fieldName(c.Field))
		}
	}
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return "; " + names[0] + " changed then"
	case len(causes) > maxNamed:
		return fmt.Sprintf("; %s and %d more changed then", strings.Join(names, ", "), len(causes)-maxNamed)
	default:
		return "; " + strings.Join(names[:n-1], ", ") + " and " + names[n-1] + " changed then"
	}
}

// fieldName returns the name of a recorded field for a sentence.
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

// direction returns the word for a larger or smaller value; for a time, slower or faster.
func (s JudgedHistory) direction(effectPct float64) string {
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

// isTime reports whether the unit is one of time, or of time per item, such as ns/op; "" counts as time.
func isTime(unit string) bool {
	unit, _, _ = strings.Cut(unit, "/")
	switch unit {
	case "", "s", "ms", "us", "ns", "min", "h", "sec", "msec", "usec", "nsec":
		return true
	}
	return false
}

// CurrentLevelText says in one sentence what the newest level is and since when; "" if the history has none.
func (s JudgedHistory) CurrentLevelText(o Options) string {
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

// LastEventText returns the sentence of the newest large event, "" without one.
func (s JudgedHistory) LastEventText() string { return s.newestLargeEvent().Text }

// newestLargeEvent returns the newest event that is not small, an empty one if none exists.
func (s JudgedHistory) newestLargeEvent() ShownEvent {
	for _, e := range s.Events {
		if !e.Small {
			return e
		}
	}
	return ShownEvent{}
}
