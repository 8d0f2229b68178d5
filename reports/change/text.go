package change

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/reports"
)

// columns is the width of a mail.
const columns = 80

// mostChanged is how many histories of one status are told of one by one.
const mostChanged = 50

// paper collects the lines of a text.
type paper struct{ b strings.Builder }

// wrapped adds text behind a head; further lines hang under its beginning.
func (p *paper) wrapped(head, text string) {
	for _, l := range reports.Wrap(text, columns-1-len([]rune(head))) {
		p.b.WriteString(strings.TrimRight(head+l, " ") + "\n")
		head = strings.Repeat(" ", len([]rune(head)))
	}
}

func (p *paper) empty() { p.b.WriteByte('\n') }

// Text writes the report so that it can be mailed as it is: what changed first,
// then what may be changing, then what the machine did, then the rest.
func Text(w io.Writer, r Report) error {
	var p paper
	p.wrapped("", r.headline())
	changed := r.with(Changed)
	for _, s := range changed[:min(mostChanged, len(changed))] {
		p.empty()
		s.changed(&p, r.options)
	}
	if len(changed) > mostChanged {
		p.empty()
		p.wrapped("CHANGED  ", "also: "+titles(changed[mostChanged:]))
	}
	watched := r.with(Watch)
	for _, s := range watched[:min(mostChanged, len(watched))] {
		p.empty()
		p.wrapped("WATCH    ", s.Title()+": "+s.Watch)
	}
	if len(watched) > mostChanged {
		p.empty()
		p.wrapped("WATCH    ", "also: "+titles(watched[mostChanged:]))
	}
	for i, m := range r.Machine {
		if i == 0 {
			p.empty()
		}
		p.wrapped("MACHINE  ", MachineSentence(m))
	}
	r.passed(&p, "PASS     ", Pass)
	r.passed(&p, "UNKNOWN  ", Unknown)
	r.asides(&p)
	if r.names() {
		p.empty()
		p.wrapped("", "\"changed then\": at the same time, not necessarily the cause; p is the chance that a random date meets a change of that field.")
	}
	if _, err := io.WriteString(w, p.b.String()); err != nil {
		return fmt.Errorf("write text: %w", err)
	}
	return nil
}

func (r Report) with(status Status) []Judged {
	var out []Judged
	for _, s := range r.Series {
		if s.Status == status {
			out = append(out, s)
		}
	}
	return out
}

// names says whether a field is named that changed with a level.
func (r Report) names() bool {
	for _, s := range r.with(Changed) {
		for _, e := range s.Events {
			if len(tellingCauses(e.First().Causes)) > 0 {
				return true
			}
		}
	}
	return false
}

// headline counts: how many histories, how many of which status, how many
// entries chance alone would give.
func (r Report) headline() string {
	n, total := map[Status]int{}, 0
	for _, s := range r.Series {
		n[s.Status]++
		total += s.N
	}
	text := fmt.Sprintf("%d series, %s: %d changed, %d watch, %d pass.", len(r.Series), runs(total), n[Changed], n[Watch], n[Pass])
	if n[Unknown] > 0 {
		text = fmt.Sprintf("%s, %d that cannot be told.", strings.TrimSuffix(text, "."), n[Unknown])
	}
	if len(r.Series) == 1 {
		text = fmt.Sprintf("%s, %s: %s.", r.Series[0].Title(), runs(total), r.Series[0].Status.word())
	}
	if c := r.ByChance(); c != "" && n[Changed] > 0 {
		text += " " + c
	}
	return text
}

// ByChance says how many of the changes chance alone would give; "" where that
// is not known of any.
func (r Report) ByChance() string {
	const least = 0.05
	n, unknown := r.expected()
	if n == nil || !slices.ContainsFunc(r.Series, func(s Judged) bool { return len(s.Changes) > 0 }) {
		return ""
	}
	text := "By chance alone one would expect " + reports.Figures(*n, 2)
	if *n < least {
		text = fmt.Sprintf("By chance alone one would expect fewer than %g", least)
	}
	text += " of these changes"
	if unknown > 0 {
		text += fmt.Sprintf(", not counting %d whose noise is of no kind that was calibrated", unknown)
	}
	return text + "."
}

// expected is how many of the changes chance alone would give, and of how many
// that is not known; nil if of none.
func (r Report) expected() (n *float64, unknown int) {
	known := 0
	for _, s := range r.Series {
		for _, c := range s.Changes {
			if c.FalsePer1000 == nil {
				unknown++
			} else {
				known++
			}
		}
	}
	if known == 0 && unknown > 0 {
		return nil, unknown
	}
	return finite(r.Expected), unknown
}

// changed writes one history with its events, the newest first.
func (s Judged) changed(p *paper, o Options) {
	p.wrapped("CHANGED  ", s.Title())
	if line := s.spark(o); line != "" {
		p.wrapped("         ", line)
	}
	for i, e := range s.Events {
		const most = 8
		if i == most {
			p.wrapped("         ", fmt.Sprintf("and %d earlier changes", len(s.Events)-most))
			break
		}
		mark := "  "
		if e.Known {
			mark = "= " // somebody knows
		}
		p.wrapped("       "+mark, e.Text)
		s.details(p, e)
	}
	for _, n := range s.SlowNodes {
		p.wrapped("         ", SlowNodeSentence(n))
	}
	if s.Watch != "" {
		p.wrapped("         ", s.Watch)
	}
}

// nameOf is what run k goes by: its job, else its place in the input.
func (s Judged) nameOf(k int) string {
	if k >= 0 && k < len(s.Jobs) && s.Jobs[k] != "" {
		return "job " + reports.Clean(s.Jobs[k])
	}
	return fmt.Sprintf("run %d", s.Index(k))
}

// details writes what stands behind the sentence of an event.
func (s Judged) details(p *paper, e Event) {
	c := e.First()
	parts := []string{fmt.Sprintf("%s (t = %s), seen at %s", s.nameOf(c.Index), s.when(c.Index), s.nameOf(c.DetectedIndex))}
	if before, after, ok := s.levels(c); ok {
		parts = append(parts, s.value(before.Median)+" -> "+s.value(after.Median))
	}
	if text := chance(c.FalsePer1000); text != "" {
		parts = append(parts, text)
	}
	if e.Known {
		parts = append(parts, "acknowledged")
	}
	p.wrapped("           ", strings.Join(parts, "; "))
	for i, k := range tellingCauses(c.Causes) {
		const most = 3
		if i == most {
			break
		}
		p.wrapped("           ", fmt.Sprintf("%s: %s -> %s (p = %s)",
			reports.Clean(k.Field), short(k.From), short(k.To), reports.Figures(k.P, 2)))
	}
}

// levels are the regimes before and after a change, where they show it: with the
// machine's share in them they may not.
func (s Judged) levels(c changepoint.Change) (before, after changepoint.Regime, ok bool) {
	for i, g := range s.Regimes {
		if i > 0 && g.First <= c.Index && c.Index <= g.Last {
			before, after = s.Regimes[i-1], g
			return before, after, (after.Median > before.Median) == (c.EffectPct > 0)
		}
	}
	return before, after, false
}

// spark draws the newest runs as one line, a bar between two levels.
func (s Judged) spark(o Options) string {
	const most = 60
	from := max(0, len(s.Y)-most)
	lo, hi, ok := s.reach()
	if !ok || hi <= lo {
		return ""
	}
	begins := map[int]bool{}
	for _, c := range s.Changes {
		begins[c.Index] = true
	}
	var b strings.Builder
	for k := from; k < len(s.Y); k++ {
		if begins[k] && k > from {
			b.WriteString("|")
		}
		mark := reports.Spark(s.Y[k:k+1], lo, hi, o.ASCII)
		if mark == " " {
			mark = "_" // a line must not be broken where a value is missing
		}
		b.WriteString(mark)
	}
	return b.String()
}

// passed lists the names of histories of which there is no more to say.
func (r Report) passed(p *paper, head string, status Status) {
	list := r.with(status)
	if len(list) == 0 || len(r.Series) == 1 {
		return
	}
	p.empty()
	p.wrapped(head, titles(list))
}

// titles names histories, the first of many.
func titles(list []Judged) string {
	const most = 40
	var names []string
	for _, s := range list[:min(most, len(list))] {
		names = append(names, s.Title())
	}
	text := strings.Join(names, ", ")
	if len(list) > most {
		text += fmt.Sprintf(" and %d more", len(list)-most)
	}
	return text
}
