package changepoint

import (
	"math"
	"slices"
)

// Unconfirmed is what the newest runs show if they lie above their level and are
// not a new one yet: one or two outliers, or three and more that agree. What the
// machine did to all, slow nodes, weekends and a creep that goes on are no news of the job. The paper
// warns of slower runs only, and so do we.
type Unconfirmed struct {
	Runs int // how many runs show it; 0 is nothing
	Pct  float64
	// Least says that Pct is that of the lowest of several outliers.
	Least bool
}

// Unconfirmed looks at the newest of the values y that the result is of. Runs that
// agree must do so on leastPct more than the others.
func (r SeriesResult) Unconfirmed(y []float64, leastPct float64) Unconfirmed {
	if len(r.Regimes) == 0 {
		return Unconfirmed{}
	}
	if r.Adjusted != nil {
		y = r.Adjusted
	}
	newest := r.Regimes[len(r.Regimes)-1]
	if c := r.Creep; c != nil && c.Until == len(y) {
		y, newest.First, newest.Median = c.levelled(y), c.Since, c.To // no news that it goes on
	}
	var positive []float64
	for _, v := range y[max(newest.First, 0):] {
		if v > 0 && !math.IsInf(v, 0) {
			positive = append(positive, v)
		}
	}
	if n, pct := Raised(positive); n > 0 && pct >= leastPct {
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
