package change

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// mostRemarks is the largest number of remarks on single histories that are printed: a site has thousands.
const mostRemarks = 5

// writeNotes writes small changes, slow nodes of histories that pass, and notes. A note that several histories
// share is printed once.
func (r Report) writeNotes(p *text.Page) {
	lines := r.remarks()
	if left := len(lines) - mostRemarks; left > 0 {
		lines = append(lines[:mostRemarks], fmt.Sprintf("and %d more small changes and slow nodes (--json has all)", left))
	}
	if list := r.doubtful(); len(list) > 0 {
		lines = append(lines, titles(list)+": slower, but not surely enough for --check to count it")
	}
	for _, g := range r.groupedNotes() {
		lines = append(lines, g.lines(len(r.Series) == 1)...)
	}
	for i, text := range lines {
		if i == 0 {
			p.Line("")
		}
		p.Text("NOTE     ", text)
	}
}

// remarks returns lines on the slow nodes and small changes of histories that did not change.
func (r Report) remarks() []string {
	var nodes, small []string
	for _, s := range r.Series {
		if s.Status == Changed {
			continue
		}
		who := s.Title() + ": "
		if len(r.Series) == 1 {
			who = ""
		}
		for _, n := range s.Result.SlowNodes {
			nodes = append(nodes, who+SlowNodeSentence(n))
		}
		for _, e := range s.Events {
			small = append(small, who+"below "+quantity.Chosen(r.options.MinEffectPct)+": "+e.Text)
		}
	}
	return append(nodes, small...)
}

// noteGroup collects the notes of one code from several histories.
type noteGroup struct {
	code   note.Code
	titles []string // the history of each text; a history may have several
	texts  []string
	series int
}

// lines returns the printed notes of the group: one line if all texts are the same, each text if there are few,
// else the first text.
func (g noteGroup) lines(lone bool) []string {
	const maxNamed = 3
	first := g.texts[0]
	same := !slices.ContainsFunc(g.texts, func(s string) bool { return s != first })
	switch {
	case lone:
		return []string{first}
	case same && g.series == len(g.texts) && g.series <= maxNamed:
		return []string{strings.Join(g.titles, ", ") + ": " + first}
	case g.series > maxNamed || len(g.texts) > 2*maxNamed || g.series > 1 && Routine(g.code):
		return []string{fmt.Sprintf("%s, such as %s: %s", quantity.Plural(g.series, "series"), g.titles[0], first)}
	}
	var out []string
	for i, title := range g.titles {
		out = append(out, title+": "+g.texts[i])
	}
	return out
}

// Routine reports whether a note is about how runs were recorded rather than about their performance.
func Routine(code note.Code) bool {
	switch code {
	case note.MissingRuns, note.FieldsMissing, note.CommonMode, note.RepeatedTimes, note.Unsorted,
		note.InvertedRate:
		return true
	}
	return false
}

// groupedNotes groups the notes of all histories by code, routine ones last; the notes of a lone history are not
// grouped.
func (r Report) groupedNotes() []noteGroup {
	var out []noteGroup
	place := map[note.Code]int{}
	for _, s := range r.Series {
		for _, n := range s.AllNotes() {
			i, ok := place[n.Code]
			if !ok || len(r.Series) == 1 {
				i = len(out)
				place[n.Code] = i
				out = append(out, noteGroup{code: n.Code})
			}
			g := &out[i]
			if k := len(g.titles); k == 0 || g.titles[k-1] != s.Title() {
				g.series++
			}
			g.titles, g.texts = append(g.titles, s.Title()), append(g.texts, text.Clean(n.Text))
		}
	}
	// What the runs do before how they were recorded.
	routine := func(g noteGroup) bool { return Routine(g.code) }
	last := slices.DeleteFunc(slices.Clone(out), func(g noteGroup) bool { return !routine(g) })
	out = append(slices.DeleteFunc(out, routine), last...)
	return out
}

// MachineSentence returns a sentence on a shift of the machine, which says that the jobs were not the reason.
func MachineSentence(m changepoint.MachineEvent) string {
	return machineShift(m) + ": the machine, not the jobs."
}

// machineShift says how many series a shift of the machine made slower or faster, by how much and when. It has no full
// stop, and does not say that the jobs were not the reason.
func machineShift(m changepoint.MachineEvent) string {
	way := "slower"
	if m.EffectPct < 0 {
		way = "faster"
	}
	return fmt.Sprintf("%s at once were %s %s %s UTC",
		quantity.Plural(len(m.Series), "series"), quantity.Percent(math.Abs(m.EffectPct)), way, intervalText(m.Start, m.End))
}

// SlowNodeSentence says by how much runs on a node take longer.
func SlowNodeSentence(n changepoint.SlowNode) string {
	return fmt.Sprintf("Runs on node %s take %s longer than the others (%s).", text.Clean(n.Node),
		quantity.Percent(n.EffectPct), quantity.Chance(n.P))
}

// shortValue cuts a recorded value to the length that distinguishes it from others; it returns "(not known)" for "".
func shortValue(s string) string {
	if s = text.Clean(s); s == "" {
		return "(not known)"
	}
	return text.Cut(s, 24)
}
