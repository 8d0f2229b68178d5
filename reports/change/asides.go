package change

import (
	"fmt"
	"math"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
	"jobgait/reports"
)

// mostAsides is how many remarks on single histories are printed: of a site
// there are thousands.
const mostAsides = 10

// asides writes small changes, slow nodes of histories that pass, and notes. A
// note that several histories have is said once.
func (r Report) asides(p *paper) {
	lines := r.remarks()
	if left := len(lines) - mostAsides; left > 0 {
		lines = append(lines[:mostAsides], fmt.Sprintf("%d more small changes and slow nodes (--json has all)", left))
	}
	if list := r.doubtful(); len(list) > 0 {
		lines = append(lines, titles(list)+": slower, but not more surely than chance makes some of so many: --check does not count them")
	}
	for _, g := range r.groupedNotes() {
		text := g.text
		if len(r.Series) > 1 {
			text = g.names() + ": " + text
		}
		lines = append(lines, text)
	}
	for i, text := range lines {
		if i == 0 {
			p.empty()
		}
		p.wrapped("NOTE     ", text)
	}
}

// remarks are small changes and slow nodes of histories that did not change.
func (r Report) remarks() []string {
	var lines []string
	for _, s := range r.Series {
		if s.Status == Changed {
			continue
		}
		for _, e := range s.Events {
			lines = append(lines, s.Title()+": small: "+e.Text)
		}
		for _, n := range s.SlowNodes {
			lines = append(lines, s.Title()+": "+SlowNodeSentence(n))
		}
	}
	return lines
}

// said is one kind of note of several histories, in the words of the first.
type said struct {
	code   note.Code
	text   string
	differ bool // other histories have other figures
	titles []string
}

// names says of which histories the note is: all of a few, the number of many.
func (g said) names() string {
	const most = 5
	first := g.titles[0]
	if n := len(g.titles); n > most {
		return fmt.Sprintf("%d series, such as %s", n, first)
	}
	names := strings.Join(g.titles, ", ")
	if g.differ && len(g.titles) > 1 {
		names += " (figures of " + first + ")"
	}
	return names
}

func (r Report) groupedNotes() []said {
	var out []said
	place := map[note.Code]int{}
	for _, s := range r.Series {
		for _, n := range s.notes() {
			text := reports.Clean(n.Text)
			i, ok := place[n.Code]
			if !ok || len(r.Series) == 1 {
				i = len(out)
				place[n.Code] = i
				out = append(out, said{code: n.Code, text: text})
			}
			g := &out[i]
			g.differ = g.differ || text != g.text
			if k := len(g.titles); k == 0 || g.titles[k-1] != s.Title() {
				g.titles = append(g.titles, s.Title())
			}
		}
	}
	return out
}

// MachineSentence says what the machine did to all that ran on it.
func MachineSentence(m changepoint.MachineEvent) string {
	way := "slower"
	if m.EffectPct < 0 {
		way = "faster"
	}
	return fmt.Sprintf("%d series at once were %s %s %s UTC: the machine, not the jobs.",
		len(m.Series), percent(math.Abs(m.EffectPct)), way, during(m.Start, m.End))
}

// SlowNodeSentence says what runs on a node cost.
func SlowNodeSentence(n changepoint.SlowNode) string {
	return fmt.Sprintf("Runs on node %s take %s longer than the others (p = %s).", reports.Clean(n.Node), percent(n.EffectPct), reports.Figures(n.P, 2))
}

// short cuts a recorded value to what tells it from others.
func short(s string) string {
	const most = 24
	if s = reports.Clean(s); s == "" {
		return "(not known)"
	}
	if r := []rune(s); len(r) > most {
		return string(r[:most-3]) + "..."
	}
	return s
}
