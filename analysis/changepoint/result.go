package changepoint

import (
	"math"
	"slices"

	"jobgait/analysis/internal/robust"
	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// values converts logarithms to the unit and the order of the input; runs that are not kept get NaN.
func (r *preparedSeries) values(x []float64) []float64 {
	y := make([]float64, len(r.Y))
	for k := range y {
		y[k] = math.NaN()
	}
	for k, v := range x {
		y[r.at[k]] = math.Exp(v)
	}
	return y
}

// emptyResult returns a result without changes, with the notes made so far.
func (r *preparedSeries) emptyResult() SeriesResult {
	return SeriesResult{ID: r.ID, N: len(r.Y), Changes: []Change{}, Regimes: []Regime{}, Outliers: []int{},
		SlowNodes: []SlowNode{}, Functions: []FunctionChange{}, Notes: append([]note.Note{}, r.notes...)}
}

// changeOf converts a committed event to a Change in the indexes of the input and in percent.
func (r *preparedSeries) changeOf(e event) Change {
	c := Change{Index: r.at[e.index], T: r.Time(r.at[e.index]), DetectedIndex: r.at[e.detected],
		EffectPct: quantity.PercentOfLogs(e.effect), Level: .95, FirstIndex: r.at[e.first], LastIndex: r.at[e.last],
		FalsePer1000: e.rate, Kind: e.kind, Group: e.group, Causes: []Cause{}, Metrics: []MetricShift{}}
	if lo, hi := quantity.PercentOfLogs(e.lo), quantity.PercentOfLogs(e.hi); e.lo < e.hi {
		c.LoPct, c.HiPct = &lo, &hi
	}
	if e.end != nil {
		end := r.at[*e.end]
		c.EndIndex = &end
	}
	return c
}

// addRegimes adds the regimes and the outliers to a result, in indexes of the input.
func (r *preparedSeries) addRegimes(res *SeriesResult, out outcome) {
	for _, g := range out.regimes {
		g.First, g.Last = r.at[g.First], r.at[g.Last]
		res.Regimes = append(res.Regimes, g)
	}
	for _, o := range out.outliers {
		res.Outliers = append(res.Outliers, r.at[o])
	}
	slices.Sort(res.Outliers)
}

// restoreMeasured recomputes the levels of regimes from the measured values without outliers: the pattern of
// weekdays, taken, is removed to detect changes and not from the reported levels.
func (o *outcome) restoreMeasured(x, taken []float64) {
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
