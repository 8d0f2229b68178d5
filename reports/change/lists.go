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

// watched writes what may be changing, several runs before one and the largest
// first. Of many histories some have a slow last run on every day: these share
// one entry.
func (r Report) watched(p *text.Page) {
	list := r.with(Watch)
	if len(list) == 0 || len(r.Series) == 1 { // the first line has said it
		return
	}
	slices.SortStableFunc(list, func(a, b Judged) int { return cmp.Compare(b.urgent(), a.urgent()) })
	p.Line("")
	several := slices.IndexFunc(list, Judged.Once)
	if several < 0 || len(list)-several <= few {
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
		for _, s := range once[:min(mostNamed, len(once))] {
			names = append(names, fmt.Sprintf("%s by %s", s.Title(), quantity.Percent(s.Unconfirmed.Pct)))
		}
		p.Text("WATCH    ", fmt.Sprintf("of %s the last run alone is slower than usual, seen once: %s",
			quantity.Plural(len(once), "series"), andMore(names, len(once))))
	}
}

// passed lists the names of histories of which there is no more to say.
func (r Report) passed(p *text.Page, head string, status Status) {
	list := r.with(status)
	if len(list) == 0 || len(r.Series) == 1 {
		return
	}
	p.Line("")
	if len(list) > 2*mostNamed { // a dozen names of hundreds are no help
		p.Text(head, quantity.Plural(len(list), "series"))
		return
	}
	p.Text(head, titles(list))
}

// mostNamed is how many histories are named in one line.
const mostNamed = 12

// titles names histories, the first of many.
func titles(list []Judged) string {
	var names []string
	for _, s := range list[:min(mostNamed, len(list))] {
		names = append(names, s.Title())
	}
	return andMore(names, len(list))
}

// andMore joins the first names of a list of all names.
func andMore(names []string, all int) string {
	text := strings.Join(names, ", ")
	if all > len(names) {
		text += fmt.Sprintf(" and %d more", all-len(names))
	}
	return text
}

// Keep returns the report of those histories only for which keep is true, by
// their place: what it expects by chance, and what it takes to stand out of it,
// is that of the shorter list. Shifts of the machine stay if one of them had
// it.
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
