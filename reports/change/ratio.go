package change

import (
	"maps"
	"math"
	"slices"

	"jobgait/analysis/changepoint"
)

// ratio is the history of how much longer the other takes than the base, in
// percent: one value for each day or scale that both have, of its medians. It
// has the changes that the comparison found, and the levels between them.
func ratio(base, other History, join changepoint.Join, c changepoint.Comparison) Judged {
	a, b := medians(base, join), medians(other, join)
	var s Judged
	s.ID, s.Unit, s.Calendar = "difference", "%", base.Calendar && other.Calendar
	for _, key := range slices.Sorted(maps.Keys(a)) {
		if v, ok := b[key]; ok {
			s.T, s.Y = append(s.T, key), append(s.Y, 100*(v/a[key]-1))
		}
	}
	s.N, s.Changes = len(s.Y), c.Changes
	first := 0
	for _, change := range c.Changes {
		s.addLevel(first, change.Index)
		first = change.Index
	}
	s.addLevel(first, len(s.Y))
	s.Events = grouped(s.Changes)
	return s
}

// medians are the values of each day or scale.
func medians(h History, join changepoint.Join) map[float64]float64 {
	groups := map[float64][]float64{}
	for i, y := range h.Y {
		if !(y > 0) || math.IsInf(y, 0) {
			continue
		}
		key := h.T[i]
		if join == changepoint.JoinDay {
			key = math.Floor(key)
		}
		groups[key] = append(groups[key], y)
	}
	out := make(map[float64]float64, len(groups))
	for key, values := range groups {
		slices.Sort(values)
		out[key] = middle(values)
	}
	return out
}

// middle is the median of ascending values.
func middle(v []float64) float64 { return (v[(len(v)-1)/2] + v[len(v)/2]) / 2 }

// addLevel adds mean and standard deviation of pairs first to end. Pairs so far
// out that they are spikes of one of the two (5 MAD) count as outliers.
func (s *Judged) addLevel(first, end int) {
	const far = 5 * 1.4826
	if first < 0 || end > len(s.Y) || first >= end {
		return
	}
	sorted := slices.Sorted(slices.Values(s.Y[first:end]))
	centre := middle(sorted)
	away := make([]float64, len(sorted))
	for i, v := range sorted {
		away[i] = math.Abs(v - centre)
	}
	slices.Sort(away)
	reach := far * middle(away)
	g := changepoint.Regime{First: first, Last: end - 1, Median: centre}
	squares := 0.0
	for k := first; k < end; k++ {
		v := s.Y[k]
		if math.Abs(v-centre) > reach {
			s.Outliers = append(s.Outliers, k)
			continue
		}
		g.N++
		g.Mean += v
		squares += v * v
	}
	g.Mean /= float64(g.N)
	if g.N > 1 {
		g.SD = math.Sqrt(math.Max(0, squares/float64(g.N)-g.Mean*g.Mean) * float64(g.N) / float64(g.N-1))
	}
	s.Regimes = append(s.Regimes, g)
}
