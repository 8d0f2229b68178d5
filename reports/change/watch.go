package change

import (
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
)

// watch says what the newest runs show if they lie above their level and are
// not a new one yet: one or two outliers, or three and more that agree. What the
// machine did to all, slow nodes and weekends are no news of the job. The paper
// warns of slower runs only, and so do we.
func (s Judged) watch(o Options) watched {
	if len(s.Regimes) == 0 || o.Days > 0 && o.Now-s.at(len(s.T)-1) > o.Days {
		return watched{}
	}
	newest := s.Regimes[len(s.Regimes)-1]
	if n, pct := changepoint.Raised(s.values(newest.First)); n > 0 && pct >= o.MinEffectPct {
		return watched{n, pct, fmt.Sprintf("The last %d runs are %s %s than usual: not confirmed yet.", n, quantity.Percent(pct), s.direction(pct))}
	}
	off := s.off()
	least := math.Inf(1)
	for _, y := range off {
		least = math.Min(least, 100*(y/newest.Median-1))
	}
	if !(least > 0) || math.IsInf(least, 0) {
		return watched{}
	}
	if len(off) == 1 {
		return watched{1, least, fmt.Sprintf("The last run is %s %s than usual: seen once, not confirmed.", quantity.Percent(least), s.direction(least))}
	}
	return watched{len(off), least, fmt.Sprintf("The last %d runs are %s %s than usual or more: not confirmed yet.", len(off), quantity.Percent(least), s.direction(least))}
}

// watched is what the newest runs show: how many, by how much, and that in words.
type watched struct {
	runs int
	pct  float64
	text string
}

// Once says that only the last run is out of the ordinary: of any hundred
// histories a few are so on every day.
func (s Judged) Once() bool { return s.seenNow.runs == 1 }

// urgent orders what is to be watched: several runs before one, then the largest.
func (s Judged) urgent() float64 {
	const several = 1e9
	if s.seenNow.runs > 1 {
		return several + s.seenNow.pct
	}
	return s.seenNow.pct
}

// off are the newest runs that are outliers, the newest first.
func (s Judged) off() []float64 {
	var off []float64
	seen := s.seen()
	for k := len(seen) - 1; k >= 0; k-- {
		if math.IsNaN(seen[k]) {
			continue
		}
		if !slices.Contains(s.Outliers, k) {
			break
		}
		off = append(off, seen[k])
	}
	return off
}

// seen are the runs as they were judged.
func (s Judged) seen() []float64 {
	if s.Adjusted != nil {
		return s.Adjusted
	}
	return s.Y
}

// values are those from a run on that can be a measurement.
func (s Judged) values(from int) []float64 {
	var y []float64
	for _, v := range s.seen()[max(from, 0):] {
		if v > 0 && !math.IsInf(v, 0) {
			y = append(y, v)
		}
	}
	return y
}
