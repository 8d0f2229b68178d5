package changepoint

import (
	"math"
	"slices"
)

// Unconfirmed describes newest runs that are slower than their level but not yet a committed change: one or two
// outliers, or three or more that agree. Shifts of the machine, slow nodes, weekends and a continuing creep are
// excluded. Faster runs are not reported, as in the paper.
type Unconfirmed struct {
	Runs int // number of slower runs; 0 if none exists
	Pct  float64
	// Least reports that Pct is that of the lowest of several outliers.
	Least bool
}

// Unconfirmed returns the newest runs that are slower than the newest level and not yet a change. y are the values of
// which r is the result; r.Adjusted replaces them if it is set. Runs that agree on a raised level must be at least
// leastPct percent slower. Without such a level it returns the outliers at the end of the history, with the excess of
// the fastest of them over the level, whatever leastPct is.
func (r SeriesResult) Unconfirmed(y []float64, leastPct float64) Unconfirmed {
	if len(r.Regimes) == 0 {
		return Unconfirmed{}
	}
	if r.Adjusted != nil {
		y = r.Adjusted
	}
	newest := r.Regimes[len(r.Regimes)-1]
	if c := r.Creep; c != nil && c.Until == len(y) {
		y, newest.First, newest.Median = c.withoutCreep(y), c.Since, c.To // its continuation is not news
	}
	var positive []float64
	for _, v := range y[max(newest.First, 0):] {
		if v > 0 && !math.IsInf(v, 0) {
			positive = append(positive, v)
		}
	}
	if n, pct := NewestLevelIncrease(positive); n > 0 && pct >= leastPct {
		return Unconfirmed{Runs: n, Pct: pct}
	}
	runs, lowest := 0, math.Inf(1)
	for k := len(y) - 1; k >= 0 && (math.IsNaN(y[k]) || slices.Contains(r.Outliers, k)); k-- {
		if !math.IsNaN(y[k]) {
			runs, lowest = runs+1, math.Min(lowest, y[k])
		}
	}
	if pct := 100 * (lowest/newest.Median - 1); pct > 0 && !math.IsInf(pct, 0) {
		return Unconfirmed{Runs: runs, Pct: pct, Least: runs > 1}
	}
	return Unconfirmed{}
}
