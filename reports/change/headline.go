package change

import (
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// headline returns the text of the first two lines of a mail: how many histories have which status, and which
// are slower now, the worst first. For a lone history it says what happened to it.
func (r Report) headline() string {
	if len(r.Series) == 0 {
		return "No history to judge."
	}
	n, total := map[Status]int{}, 0
	for _, s := range r.Series {
		n[s.Status]++
		total += s.Result.N
	}
	of := quantity.Plural(total, "run")
	if r.options.Whose != "" {
		of += " of " + text.Clean(r.options.Whose)
	}
	if d := r.options.Days; d > 0 {
		of += ", in the " + LastDays(d)
	}
	if len(r.Series) == 1 {
		s := r.Series[0]
		return strings.TrimSpace(fmt.Sprintf("%s, %s: %s. %s", s.Title(), of, s.StatusText(), s.summaryText(r.options)))
	}
	text := fmt.Sprintf("%s, %s: %d changed, %d may be changing, %d without a change",
		quantity.Plural(len(r.Series), "series"), of, n[Changed], n[Watch], n[Pass])
	if n[Unknown] > 0 {
		text += fmt.Sprintf(", %d not judged", n[Unknown])
	}
	return text + "." + r.slowerNow(n[Changed])
}

// LastDays returns words for the reported days.
func LastDays(days float64) string {
	if days == 1 {
		return "last day"
	}
	return fmt.Sprintf("last %g days", days)
}

// summaryText returns what the headline of a lone history says besides its status: its newest large event, its
// unconfirmed deviation or its newest level; "" for a history that was not judged.
func (s JudgedHistory) summaryText(o Options) string {
	switch s.Status {
	case Changed:
		return s.newestLargeEvent().Brief
	case Watch:
		return s.Watch
	case Pass:
		return s.CurrentLevelText(o)
	}
	return ""
}

// slowerNow names the worst of the histories that --check counts, or says why it counts none; "" if no history changed,
// is doubtful or was acknowledged. changed is the number of histories that changed.
func (r Report) slowerNow(changed int) string {
	const maxNamed = 3
	list := r.WorseHistories()
	if len(list) == 0 {
		switch {
		case r.acknowledged():
			return " What is " + r.worseWord() + " now is acknowledged."
		case len(r.doubtful()) > 0:
			return " None is " + r.worseWord() + " now surely enough for --check to count it."
		case changed > 0:
			return " None is " + r.worseWord() + " now than before."
		}
		return ""
	}
	var parts []string
	for _, s := range list[:min(maxNamed, len(list))] {
		c := s.newestChange()
		parts = append(parts, fmt.Sprintf("%s by %s since %s", clipName(s.Title()), quantity.Percent(c.EffectPct),
			s.date(c.T, r.options)))
	}
	word := r.worseWord()
	text := " " + strings.ToUpper(word[:1]) + word[1:] + " now: " + strings.Join(parts, "; ")
	if more := len(list) - maxNamed; more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	return text + "."
}

// worseWord returns the word for a history that --check counts: "slower", or "slower or higher" if some history is not
// one of times.
func (r Report) worseWord() string {
	if slices.ContainsFunc(r.Series, func(s JudgedHistory) bool { return !isTime(s.Unit) }) {
		return "slower or higher"
	}
	return "slower"
}

// acknowledged reports whether the newest event of any history is a slowdown that is not small and was acknowledged.
func (r Report) acknowledged() bool {
	return slices.ContainsFunc(r.Series, func(s JudgedHistory) bool {
		return len(s.Events) > 0 && s.Events[0].Known && !s.Events[0].Small && s.Events[0].Last().EffectPct > 0
	})
}

// clipName cuts a name in the middle so that several names fit into two lines.
func clipName(name string) string {
	const maxRunes = 56
	if r := []rune(name); len(r) > maxRunes {
		return string(r[:maxRunes/2]) + "..." + string(r[len(r)-maxRunes/2+3:])
	}
	return name
}

// ranked returns the histories that changed: first those that are slower now, then the others, that of the
// newest change first.
func (r Report) ranked() []JudgedHistory {
	list, _ := r.byWeight()
	return slices.DeleteFunc(list, func(s JudgedHistory) bool { return s.Status != Changed })
}

// ByChance says how many of the reported changes chance alone would give, and for how many of them that is unknown; ""
// if it is unknown for all or no change is reported.
func (r Report) ByChance() string {
	const threshold = 0.05
	var shown []changepoint.SeriesResult
	known, unknown := 0, 0
	for _, s := range r.Series {
		if s.Support {
			continue
		}
		changes := s.largeChanges()
		for _, c := range changes {
			if c.FalsePer1000 == nil {
				unknown++
			} else {
				known++
			}
		}
		shown = append(shown, changepoint.SeriesResult{N: s.recent(r.options), Changes: changes})
	}
	n := changepoint.ExpectedByChance(shown)
	if known == 0 {
		return ""
	}
	text := "Chance alone would give " + quantity.Figures(n, 2)
	if n < threshold {
		text = fmt.Sprintf("Chance alone would give fewer than %g", threshold)
	}
	text += " of these changes"
	if unknown > 0 {
		text += fmt.Sprintf("; for %d of them it is not known: how often noise like theirs looks like a change was not "+
			"measured", unknown)
	}
	return text + "."
}

// largeChanges returns the changes of all events that are not small; only these are reported one by one.
func (s JudgedHistory) largeChanges() []changepoint.Change {
	var out []changepoint.Change
	for _, e := range s.Events {
		if !e.Small {
			out = append(out, e.Changes...)
		}
	}
	return out
}

// recent returns the number of runs in the reported days; of all judged runs if the days are not limited.
func (s JudgedHistory) recent(o Options) int {
	if o.Days <= 0 {
		return s.Result.N
	}
	n := 0
	for _, t := range s.T {
		if o.Now-t <= o.Days {
			n++
		}
	}
	return n
}

// expected returns the number of changes expected by chance alone; nil if that is unknown for every change.
func (r Report) expected() *float64 {
	known, unknown := false, false
	for _, s := range r.Series {
		for _, c := range s.Result.Changes {
			if !s.Support { // Expected does not count the others either
				known, unknown = known || c.FalsePer1000 != nil, unknown || c.FalsePer1000 == nil
			}
		}
	}
	if unknown && !known {
		return nil
	}
	return quantity.Finite(r.Expected)
}

// writeMachine writes the shifts of the machine, the newest first, because they may explain a slower job. It
// leaves out shifts that ended before the reported days.
func (r Report) writeMachine(p *text.Page) {
	const maxNamed = 4
	var list []changepoint.MachineEvent
	for _, m := range slices.Backward(r.Machine) {
		if m.End == nil || r.options.Days <= 0 || *m.End/daySeconds >= r.options.Now-r.options.Days {
			list = append(list, m)
		}
	}
	for i, m := range list[:min(maxNamed, len(list))] {
		if i == 0 {
			p.Line("")
		}
		text := MachineSentence(m)
		if i > 0 {
			text = machineShift(m) + "."
		}
		p.Text("MACHINE  ", text)
	}
	if more := len(list) - maxNamed; more > 0 {
		p.Text("MACHINE  ", "and "+quantity.Plural(more, "earlier shift")+" (--json has all)")
	}
}
