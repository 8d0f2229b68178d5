package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// values puts logarithms back in the units and the order of the input.
func (r *ready) values(x []float64) []float64 {
	y := make([]float64, len(r.Y))
	for k := range y {
		y[k] = math.NaN()
	}
	for k, v := range x {
		y[r.at[k]] = math.Exp(v)
	}
	return y
}

// result is the empty answer to a series.
func (r *ready) result() SeriesResult {
	return SeriesResult{ID: r.ID, N: len(r.Y), Changes: []Change{}, Regimes: []Regime{}, Outliers: []int{},
		SlowNodes: []SlowNode{}, Functions: []FunctionChange{}, Notes: append([]note.Note{}, r.notes...)}
}

// change puts a committed event in the words and indexes of the input.
func (r *ready) change(e event) Change {
	c := Change{Index: r.at[e.index], T: r.Time(r.at[e.index]), DetectedIndex: r.at[e.detected],
		EffectPct: quantity.OfLogs(e.effect), Level: .95, FirstIndex: r.at[e.first], LastIndex: r.at[e.last],
		FalsePer1000: e.rate, Kind: e.kind, Group: e.group, Causes: []Cause{}, Metrics: []MetricShift{}}
	if lo, hi := quantity.OfLogs(e.lo), quantity.OfLogs(e.hi); e.lo < e.hi {
		c.LoPct, c.HiPct = &lo, &hi
	}
	if e.end != nil {
		end := r.at[*e.end]
		c.EndIndex = &end
	}
	return c
}

// describe adds regimes and outliers, in indexes of the input.
func (r *ready) describe(res *SeriesResult, out outcome) {
	for _, g := range out.regimes {
		g.First, g.Last = r.at[g.First], r.at[g.Last]
		res.Regimes = append(res.Regimes, g)
	}
	for _, o := range out.outliers {
		res.Outliers = append(res.Outliers, r.at[o])
	}
	slices.Sort(res.Outliers)
}

// measured puts the figures of regimes back to what was measured: a pattern of
// weekdays is taken out to find changes, not of what runs took. Outliers are left out.
func (o *outcome) measured(x, taken []float64) {
	if !slices.ContainsFunc(taken, func(v float64) bool { return v != 0 }) {
		return
	}
	far := make(map[int]bool, len(o.outliers))
	for _, k := range o.outliers {
		far[k] = true
	}
	for q := range o.regimes {
		g := &o.regimes[q]
		var y []float64
		for k := g.First; k <= g.Last; k++ {
			if !far[k] {
				y = append(y, math.Exp(x[k]+taken[k]))
			}
		}
		if len(y) > 0 {
			g.Mean, g.SD = robust.Mean(y)
			g.Median = robust.Median(y)
		}
	}
}
