package change

import (
	"cmp"
	"slices"

	"jobgait/analysis/changepoint"
)

// Worse returns the histories whose newest level is slower than the one before
// by the least effect or more, unless somebody has acknowledged that. Of many
// histories some look worse by chance: those whose evidence does not stand out
// of that many are left out.
func (r Report) Worse() []Judged {
	var out []Judged
	for _, i := range r.worse() {
		out = append(out, r.Series[i])
	}
	return out
}

// ByWeight are the places of all histories in the order in which they want to be
// seen: slower now, the worst first; to watch; changed otherwise, the newest
// first; and the rest. Further metrics are left out. The first are the worse ones.
func (r Report) ByWeight() (places []int, worse int) {
	weight := make([]float64, len(r.Series))
	class := make([]int, len(r.Series))
	for i, s := range r.Series {
		switch s.Status {
		case Changed:
			class[i], weight[i] = 2, s.newest()
		case Watch:
			class[i], weight[i] = 1, s.urgent()
		default:
			class[i] = 3
		}
		if !s.Support {
			places = append(places, i)
		}
	}
	for _, i := range r.worse() {
		class[i], weight[i] = 0, r.Series[i].newestChange().EffectPct
		worse++
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(class[a], class[b]), cmp.Compare(weight[b], weight[a]))
	})
	return places, worse
}

// worse are the places of those histories.
func (r Report) worse() []int {
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
	var out []int
	for _, k := range changepoint.Outstanding(chances, judged) {
		out = append(out, at[k])
	}
	return out
}

// doubtful are the histories that look worse but do not stand out of so many.
func (r Report) doubtful() []Judged {
	sure := r.worse()
	var out []Judged
	for i, s := range r.Series {
		if _, ok := s.worse(r.options); ok && !slices.Contains(sure, i) {
			out = append(out, s)
		}
	}
	return out
}

// worse says whether the newest level is slower by enough, lately if that was
// asked for, and nobody knows.
func (s Judged) worse(o Options) (changepoint.Worsening, bool) {
	found := changepoint.Worse([]changepoint.Result{s.Result}, o.MinEffectPct)
	if len(found) == 0 {
		return changepoint.Worsening{}, false
	}
	w := found[0]
	if !s.lately(s.Changes[len(s.Changes)-1], o) {
		return w, false // the text does not tell of it either
	}
	for _, c := range s.Changes[w.Change:] { // the two ends of an excursion, or one change
		if s.acknowledged(c, o) {
			return w, false
		}
	}
	return w, true
}
