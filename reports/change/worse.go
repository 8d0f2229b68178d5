package change

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/changepoint"
)

// falseShare is the share of false entries that a list of worse histories may
// have: 5 %, after Benjamini and Hochberg over all histories.
const falseShare = 0.05

// slowerShare is how many of the changes that chance makes are slower ones.
const slowerShare = 0.5

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
		class[i], weight[i] = 0, r.Series[i].Changes[len(r.Series[i].Changes)-1].EffectPct
		worse++
	}
	slices.SortStableFunc(places, func(a, b int) int {
		return cmp.Or(cmp.Compare(class[a], class[b]), cmp.Compare(weight[b], weight[a]))
	})
	return places, worse
}

// worse are the places of those histories.
func (r Report) worse() []int {
	type entry struct {
		at int
		p  float64
	}
	var all []entry
	judged := 0
	for i, s := range r.Series {
		if s.Status == Unknown || s.Support {
			continue // of the metrics of a run one counts
		}
		judged++
		if w, ok := s.worse(r.options); ok {
			all = append(all, entry{i, s.chance(w)})
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(a.p, b.p) })
	// The last entry that is at its place small enough, and all before it.
	keep := 0
	for k, e := range all {
		if e.p*float64(judged) <= falseShare*float64(k+1) {
			keep = k + 1
		}
	}
	var out []int
	for _, e := range all[:keep] {
		out = append(out, e.at)
	}
	slices.Sort(out)
	return out
}

// chance is how likely runs without a change look so much worse, by the better
// of two accounts. The detector's rate is that of the day on which a change was
// committed, after three runs or so, and none is below what its calibration saw:
// by it alone no change, however large, would stand out of 500 histories. And
// there is none where the noise is of no kind that was calibrated, correlated
// from run to run as a rule. What later runs add is in the interval of the
// effect. In 1500 histories of 100 runs with correlations of 0.3 to 0.7, 1.3 %
// were worse with an interval above zero, 0.4 % by more than 4.4 standard errors,
// and none by more than 5.4: exp(2-z)/20 lies above that. By it a lone history
// needs an interval above zero, and one of 500 an effect of 8.2 standard errors.
func (s Judged) chance(w changepoint.Worsening) float64 {
	c := s.Changes[w.Change]
	p, known := c.Chance(s.N)
	if !known && c.LoPct == nil {
		return falseShare // it counts if it stands alone
	}
	p *= slowerShare
	if !known {
		p = 1
	}
	if w.Sure && c.HiPct != nil {
		const standardErrors = 2 * 1.96 // in an interval of 95 %
		z := standardErrors * math.Log1p(c.EffectPct/100) / (math.Log1p(*c.HiPct/100) - math.Log1p(*c.LoPct/100))
		many := math.Max(1, float64(s.N)/100)
		p = math.Min(p, falseShare*math.Min(1, many*math.Exp(2-z)))
	}
	return p
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
