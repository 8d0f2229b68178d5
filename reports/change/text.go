package change

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// Limits of the text, because on a site hundreds of histories change: mostChanged histories are listed,
// mostDetailed of them at length, with mostEvents events each, or fewEvents if more than fewHistories are
// listed.
const (
	mostChanged  = 50
	mostDetailed = 12
	fewHistories = 5
	mostEvents   = 8
	fewEvents    = 3
)

// Text writes the report as a text that can be mailed: a summary in the first two lines, then the shifts of the
// machine, what changed, what may be changing, and the rest.
func Text(w io.Writer, r Report) error {
	var p text.Page
	p.Text("", r.headline())
	r.writeMachine(&p)
	r.writeChanges(&p)
	r.writeFunctions(&p)
	r.writeWatched(&p)
	r.writePassed(&p, "PASS     ", Pass)
	r.writePassed(&p, "UNKNOWN  ", Unknown)
	r.writeNotes(&p)
	r.writeFootnotes(&p)
	if err := p.Print(w); err != nil {
		return fmt.Errorf("write the results as text: %w", err)
	}
	return nil
}

// writeChanges writes the histories that changed: the first at length, the next in a line each, the names of
// the rest.
func (r Report) writeChanges(p *text.Page) {
	list := r.ranked()
	maxEvents := mostEvents
	if len(list) > fewHistories {
		maxEvents = fewEvents
	}
	for i, s := range list[:min(mostChanged, len(list))] {
		if i <= mostDetailed {
			p.Line("")
		}
		if i < mostDetailed {
			s.writeChanged(p, r.options, maxEvents)
			continue
		}
		e := s.Events[slices.IndexFunc(s.Events, func(e ShownEvent) bool { return !e.Small })]
		p.Text("CHANGED  ", s.Title()+": "+e.Brief)
	}
	if len(list) > mostChanged {
		p.Text("CHANGED  ", "also: "+titles(list[mostChanged:]))
	}
}

// writeFootnotes writes how many changes chance would give, by which rate, and what the words mean.
func (r Report) writeFootnotes(p *text.Page) {
	first := true
	for _, text := range []string{r.ByChance(), r.OwnRate(), r.Detectable(), r.meaning()} {
		if text == "" {
			continue
		}
		if first {
			p.Line("")
		}
		first = false
		p.Text("", text)
	}
	for i, line := range r.nextSteps() {
		if i == 0 {
			p.Line("")
		}
		p.LineUncut(line)
	}
}

// with returns the histories with the given status.
func (r Report) with(status Status) []JudgedHistory {
	var out []JudgedHistory
	for _, s := range r.Series {
		if s.Status == status {
			out = append(out, s)
		}
	}
	return out
}

// meaning returns a sentence that explains the words "changed then" and the probability of a field, "" if the text
// names no field.
func (r Report) meaning() string {
	for _, s := range r.with(Changed) {
		for _, e := range s.Events {
			if !e.Small && len(tellingCauses(fieldCauses(e.First().Causes))) > 0 {
				return "\"changed then\": at the same time, not necessarily the cause; p is the chance that a random date meets " +
					"a change of that field."
			}
		}
	}
	return ""
}

// nextSteps returns lines with commands that examine the worst of the stored histories that are slower now and
// acknowledge its newest change; nil for histories of files, and if none is slower.
func (r Report) nextSteps() []string {
	list := r.WorseHistories()
	if !r.options.Stored || len(list) == 0 {
		return nil
	}
	s := list[0]
	first := s.Result.Changes[len(s.Result.Changes)-1].Index
	if first < 1 || first >= len(s.Jobs) {
		return nil
	}
	of := ""
	if r.options.History != "" {
		of = " --history " + text.Clean(r.options.History)
	}
	before, job := text.Clean(s.Jobs[first-1]), text.Clean(s.Jobs[first])
	return []string{
		"Next:  jobgait compare" + of + " " + before + " " + job + "  (where the time goes)",
		"       jobgait changes" + of + " --ack " + job + "  (this change is known)",
	}
}

// writeChanged writes one history with its events, the newest first, and the number of small ones.
func (s JudgedHistory) writeChanged(p *text.Page, o Options, maxEvents int) {
	p.Text("CHANGED  ", s.Title())
	if line := s.spark(o); line != "" {
		p.Text("         ", line)
	}
	told := slices.DeleteFunc(slices.Clone(s.Events), func(e ShownEvent) bool { return e.Small })
	for _, e := range told[:min(maxEvents, len(told))] {
		mark := "  "
		if e.Known {
			mark = "= " // acknowledged by a user
		}
		p.Text("       "+mark, e.Text)
		s.writeDetails(p, e)
	}
	if more := len(told) - maxEvents; more > 0 {
		p.Text("         ", fmt.Sprintf("and %s before", quantity.Plural(more, "change")))
	}
	if small := len(s.Events) - len(told); small > 0 {
		p.Text("         ", "and "+quantity.Plural(small, "change")+" below "+quantity.Chosen(o.MinEffectPct))
	}
	for _, n := range s.Result.SlowNodes {
		p.Text("         ", SlowNodeSentence(n))
	}
	if s.Watch != "" {
		p.Text("         ", s.Watch)
	}
}

// nameOf returns the name of run k: its job, else its place in the input.
func (s JudgedHistory) nameOf(k int) string {
	if k >= 0 && k < len(s.Jobs) && s.Jobs[k] != "" {
		return "job " + text.Clean(s.Jobs[k])
	}
	return fmt.Sprintf("run %d", s.Index(k))
}

// writeDetails writes the numbers behind the sentence of an event.
func (s JudgedHistory) writeDetails(p *text.Page, e ShownEvent) {
	c := e.First()
	var parts []string
	if before, after, ok := s.levels(c); ok {
		parts = append(parts, s.Value(before.Median)+" -> "+s.Value(after.Median))
	}
	parts = append(parts, fmt.Sprintf("%s (%s), seen at %s", s.nameOf(c.Index), s.when(c.Index),
		s.nameOf(c.DetectedIndex)))
	if text := falseAlarmText(c.FalsePer1000); text != "" {
		parts = append(parts, text)
	}
	if e.Known {
		parts = append(parts, "acknowledged")
	}
	p.Text("           ", strings.Join(parts, "; "))
	for _, text := range codeDetails(c.Causes) {
		p.Text("           ", text)
	}
	for i, k := range tellingCauses(fieldCauses(c.Causes)) {
		const maxCauses = 3
		if i == maxCauses {
			break
		}
		p.Text("           ", fmt.Sprintf("%s: %s -> %s (%s)",
			text.Clean(k.Field), shortValue(k.From), shortValue(k.To), byChance(k.P)))
	}
}

// byChance says in words how likely a field that changes as often as this one changes at the same run by
// coincidence: a small number from few runs is no proof.
func byChance(p float64) string {
	const threshold = 0.001
	switch {
	case !quantity.Known(p):
		return "how likely by chance is not known"
	case p < threshold:
		return "by chance in fewer than 1 of 1,000 cases"
	}
	return fmt.Sprintf("by chance in 1 of %s cases", quantity.Count(int64(math.Round(1/p))))
}

// levels returns the regimes before and after a change; ok is false where they do not show it. A shift of the
// machine may hide the change, and the runs of a drift have no level.
func (s JudgedHistory) levels(c changepoint.Change) (before, after changepoint.Regime, ok bool) {
	if c.Kind == changepoint.Drift {
		return before, after, false
	}
	for i, g := range s.Result.Regimes {
		if i > 0 && g.First <= c.Index && c.Index <= g.Last {
			before, after = s.Result.Regimes[i-1], g
			return before, after, (after.Median > before.Median) == (c.EffectPct > 0)
		}
	}
	return before, after, false
}

// spark draws the newest 60 runs as one line of blocks, with a bar before each change and "_" for a missing value; ""
// if all values are equal or none is known.
func (s JudgedHistory) spark(o Options) string {
	const maxRuns = 60
	from := max(0, len(s.Y)-maxRuns)
	lo, hi, ok := s.valueRange()
	if !ok || hi <= lo {
		return ""
	}
	begins := map[int]bool{}
	for _, c := range s.Result.Changes {
		begins[c.Index] = true
	}
	var b strings.Builder
	for k := from; k < len(s.Y); k++ {
		if begins[k] && k > from {
			b.WriteString("|")
		}
		mark := text.Spark(s.Y[k:k+1], lo, hi, o.ASCII)
		if mark == " " {
			mark = "_" // a line must not be broken where a value is missing
		}
		b.WriteString(mark)
	}
	return b.String()
}
