package change

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
	"jobgait/reports/text"
)

// writeWatched writes the histories that may be changing: first those with several runs, then those with one
// run, the largest first. Of many histories some have a slow last run on any day; these share one entry.
func (r Report) writeWatched(p *text.Page) {
	list := r.with(Watch)
	if len(list) == 0 || len(r.Series) == 1 { // the headline says it
		return
	}
	slices.SortStableFunc(list, func(a, b JudgedHistory) int { return cmp.Compare(b.urgency(), a.urgency()) })
	p.Line("")
	several := slices.IndexFunc(list, JudgedHistory.OnlyLastRun)
	if several < 0 || len(list)-several <= fewHistories {
		several = len(list)
	}
	for _, s := range list[:min(mostChanged, several)] {
		p.Text("WATCH    ", s.Title()+": "+s.Watch)
	}
	if several > mostChanged {
		p.Text("WATCH    ", "also: "+titles(list[mostChanged:several]))
	}
	if once := list[several:]; len(once) > 0 {
		var names []string
		for _, s := range once[:min(maxNamed, len(once))] {
			names = append(names, fmt.Sprintf("%s by %s", s.Title(), quantity.Percent(s.Unconfirmed.Pct)))
		}
		p.Text("WATCH    ", fmt.Sprintf("of %s the last run alone is slower than usual, seen once: %s",
			quantity.Plural(len(once), "series"), andMore(names, len(once))))
	}
}

// writePassed lists the names of the histories with the given status, or only their number if there are many.
// For a lone history it writes nothing.
func (r Report) writePassed(p *text.Page, head string, status Status) {
	list := r.with(status)
	if len(list) == 0 || len(r.Series) == 1 {
		return
	}
	p.Line("")
	if len(list) > 2*maxNamed { // a dozen of hundreds of names do not help
		p.Text(head, quantity.Plural(len(list), "series"))
		return
	}
	p.Text(head, titles(list))
}

// maxNamed is the largest number of histories that are named in one entry.
const maxNamed = 12

// titles returns the titles of the first histories and the number of the rest.
func titles(list []JudgedHistory) string {
	var names []string
	for _, s := range list[:min(maxNamed, len(list))] {
		names = append(names, s.Title())
	}
	return andMore(names, len(list))
}

// andMore joins names and adds how many of all names are left out.
func andMore(names []string, all int) string {
	text := strings.Join(names, ", ")
	if all > len(names) {
		text += fmt.Sprintf(" and %d more", all-len(names))
	}
	return text
}

// Keep returns the report of the histories whose index keep accepts. The number expected by chance and the
// significance are those of the shorter list. It keeps shifts of the machine that one of these histories shows.
func (r Report) Keep(keep func(i int) bool) Report {
	out := r
	out.Series, out.Machine = nil, nil
	var results []changepoint.SeriesResult
	ids := map[string]bool{}
	for i, s := range r.Series {
		if keep(i) {
			out.Series = append(out.Series, s)
			results = append(results, s.Result)
			ids[s.ID] = true
		}
	}
	out.Expected = changepoint.ExpectedByChance(results)
	for _, m := range r.Machine {
		if slices.ContainsFunc(m.Series, func(id string) bool { return ids[id] }) {
			out.Machine = append(out.Machine, m)
		}
	}
	return out
}
