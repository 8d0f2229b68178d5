package change

import (
	"cmp"
	"fmt"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
)

// WorseHistories returns the histories whose newest level is slower than the one before by MinEffectPct or more and not
// acknowledged, the largest effect first. Of many histories some look worse by chance; it leaves out those
// whose evidence is not significant among that many.
func (r Report) WorseHistories() []JudgedHistory {
	list, worse := r.byWeight()
	return list[:worse]
}

// ByWeight returns the indexes of all histories in order of importance: slower now, the worst first; to watch;
// changed otherwise, the newest first; the rest, those that were judged first; and further metrics, those that changed
// first. worse is the number of indexes of the first kind, leading that of all kinds but the last.
func (r Report) ByWeight() (order []int, worse, leading int) {
	weight := make([]float64, len(r.Series))
	class := make([]int, len(r.Series))
	for i, s := range r.Series {
		switch {
		case s.Support && s.Status == Changed:
			class[i] = 5
		case s.Support:
			class[i] = 6
		case s.Status == Changed:
			class[i], weight[i] = 2, s.newestLargeEvent().First().T
		case s.Status == Watch:
			class[i], weight[i] = 1, s.urgency()
		case s.Status == Unknown:
			class[i] = 4
		default:
			class[i] = 3
		}
		order = append(order, i)
		if !s.Support {
			leading++
		}
	}
	for _, i := range r.worsePlaces() {
		class[i], weight[i] = 0, r.Series[i].newestChange().EffectPct
		worse++
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(class[a], class[b]), cmp.Compare(weight[b], weight[a]))
	})
	return order, worse, leading
}

// byWeight returns the histories in the order of ByWeight.
func (r Report) byWeight() (list []JudgedHistory, worse int) {
	order, worse, _ := r.ByWeight()
	for _, i := range order {
		list = append(list, r.Series[i])
	}
	return list, worse
}

// worsePlaces returns the places of the histories of WorseHistories.
func (r Report) worsePlaces() []int {
	at, _ := r.slower()
	return at
}

// slower returns the indexes of the histories of WorseHistories, and about how many of them are there by chance.
func (r Report) slower() (out []int, byChance float64) {
	var at []int
	var chances []float64
	judged := 0
	for i, s := range r.Series {
		if s.Status == Unknown || s.Support {
			continue // of the metrics of a run one counts
		}
		judged++
		if w, ok := s.worse(r.options); ok {
			at, chances = append(at, i), append(chances, w.Chance(s.Result))
		}
	}
	kept, byChance := r.Own.Outstanding(chances, judged)
	for _, k := range kept {
		out = append(out, at[k])
	}
	return out, byChance
}

// OwnRate returns a sentence on how many of the histories that --check counts are due to chance, and at which
// rate; "" if there are no such histories or the report is not of a site.
func (r Report) OwnRate() string {
	told, n := r.slower()
	if !r.options.Site || len(told) == 0 {
		return ""
	}
	const threshold = 0.05
	about := "about " + quantity.Figures(n, 2)
	if n < threshold {
		about = fmt.Sprintf("fewer than %g", threshold)
	}
	text := fmt.Sprintf("Of %d histories slower now %s are so by chance, by ", len(told), about)
	if r.Own == nil {
		return text + "the rate of drawn runs: these histories are too few to know their own."
	}
	return text + fmt.Sprintf("this site's own rate: of %d histories whose runs were taken off their levels and put in "+
		"another order, %d looked slower.",
		r.Own.Series, r.Own.FalseAlarms)
}

// doubtful returns the histories that look worse but that WorseHistories leaves out: the worsening is not significant
// among all histories, or the history has Support and is not tested.
func (r Report) doubtful() []JudgedHistory {
	sure := r.worsePlaces()
	var out []JudgedHistory
	for i, s := range r.Series {
		if _, ok := s.worse(r.options); ok && !slices.Contains(sure, i) {
			out = append(out, s)
		}
	}
	return out
}

// worse reports whether the newest level is slower by at least MinEffectPct, within the reported days, and not
// acknowledged.
func (s JudgedHistory) worse(o Options) (changepoint.Worsening, bool) {
	found := changepoint.WorseSeries([]changepoint.SeriesResult{s.Result}, o.MinEffectPct)
	if len(found) == 0 {
		return changepoint.Worsening{}, false
	}
	w := found[0]
	if !s.lately(s.Result.Changes[len(s.Result.Changes)-1], o) {
		return w, false // the text does not report it either
	}
	for _, c := range s.Result.Changes[w.Change:] { // the two ends of an excursion, or one change
		if s.acknowledged(c, o) {
			return w, false
		}
	}
	return w, true
}
