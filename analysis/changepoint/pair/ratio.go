package pair

import (
	"maps"
	"math"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/internal/robust"
)

// History is the relative difference of two series over time, in percent: one value for each day or scale that
// both have, of its medians, with the levels between changes.
type History struct {
	T, Y     []float64
	Regimes  []changepoint.Regime
	Outliers []int
}

// Ratio returns by how many percent b takes longer than a, for each day or scale that both have, with the
// levels between the changes that a comparison found.
func Ratio(a, b changepoint.Series, join Join, changes []changepoint.Change) History {
	base, other := medians(a, join), medians(b, join)
	var h History
	for _, key := range slices.Sorted(maps.Keys(base)) {
		if v, ok := other[key]; ok {
			h.T, h.Y = append(h.T, key), append(h.Y, 100*(v/base[key]-1))
		}
	}
	first := 0
	for _, change := range changes {
		h.addLevel(first, change.Index)
		first = change.Index
	}
	h.addLevel(first, len(h.Y))
	return h
}

// medians returns the median value of each day or scale.
func medians(s changepoint.Series, join Join) map[float64]float64 {
	groups := map[float64][]float64{}
	for i, y := range s.Y {
		if y > 0 && !math.IsInf(y, 0) {
			k := joinKey(&s, i, join)
			groups[k] = append(groups[k], y)
		}
	}
	out := make(map[float64]float64, len(groups))
	for k, values := range groups {
		out[k] = robust.Median(values)
	}
	return out
}

// addLevel adds to the history a regime, the mean, median and standard deviation of the pairs [first,end), and their
// outliers: pairs more than 5 MAD from the median, which count for the median only. It ignores an empty range.
func (h *History) addLevel(first, end int) {
	if first < 0 || end > len(h.Y) || first >= end {
		return
	}
	centre, reach := robust.Median(h.Y[first:end]), 5*robust.MAD(h.Y[first:end])
	var kept []float64
	for k := first; k < end; k++ {
		if math.Abs(h.Y[k]-centre) > reach {
			h.Outliers = append(h.Outliers, k)
		} else {
			kept = append(kept, h.Y[k])
		}
	}
	mean, sd := robust.Mean(kept)
	h.Regimes = append(h.Regimes, changepoint.Regime{First: first, Last: end - 1, N: len(kept), Mean: mean, Median: centre,
		SD: sd})
}
