package changepoint

// Worsening is a series whose newest runs are slower than those before.
type Worsening struct {
	Series int // index in the list of results
	Change int // index of the change since which it is slower
	// EffectPct is by how many percent the newest runs are slower than those before Change.
	EffectPct float64
	// Significant reports that the interval of the change lies above zero.
	Significant bool
}

// WorseSeries lists the series whose newest regime is slower than the one before by
// minEffectPct or more. A series that has returned from an excursion is as fast
// as before it, and is not worse; a drift counts from its beginning.
func WorseSeries(results []SeriesResult, minEffectPct float64) []Worsening {
	list := []Worsening{}
	for i, r := range results {
		k := len(r.Changes) - 1
		if k < 0 {
			continue
		}
		c := r.Changes[k]
		effect := c.EffectPct
		if back := excursionStart(r.Changes, k); back >= 0 {
			// The runs since an excursion against those before it.
			effect = combinePct(r.Changes[back].EffectPct, effect)
			k = back
		}
		if effect < minEffectPct {
			continue
		}
		sure := c.LoPct != nil && *c.LoPct > 0
		list = append(list, Worsening{Series: i, Change: k, EffectPct: effect, Significant: sure})
	}
	return list
}

// excursionStart returns the index of the change that began the excursion which change k ended, -1 if it ended
// none.
func excursionStart(changes []Change, k int) int {
	g := changes[k].Group
	if g == nil {
		return -1
	}
	for q := k - 1; q >= 0; q-- {
		if changes[q].Group != nil && *changes[q].Group == *g {
			return q
		}
	}
	return -1
}

// combinePct returns the total of two successive relative changes, in percent.
func combinePct(a, b float64) float64 { return ((1+a/100)*(1+b/100) - 1) * 100 }
