package job

import (
	"math"

	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
)

// CycleDrift reports how the length of iterations changed during the run. Slope is in percent of the period per
// hour, Lo and Hi its 95 % interval; it means little where there are steps.
type CycleDrift struct {
	// Like lists patterns of the same shape that are judged together with this one.
	Like       []string     `json:"like"`
	Iterations int          `json:"iterations"`
	Slope      float64      `json:"slope_pct_per_hour"`
	Lo         float64      `json:"ci_lo"`
	Hi         float64      `json:"ci_hi"`
	Steps      []phase.Step `json:"steps"`
	// ChangePct is the change from before the first step to after the last, or by the slope over the run; 0 where
	// neither is clear of noise. CostS is the time in s that iterations took beyond their length before the
	// change.
	ChangePct float64           `json:"change_pct"`
	CostS     float64           `json:"cost_s"`
	Slow      []phase.SlowCycle `json:"slow"`
	SlowCount int               `json:"slow_count"`
	SlowS     float64           `json:"slow_s"`
	Lengths   summary.Lengths   `json:"lengths"`
}

// newDrift returns the drift of a pattern, nil without one or if its lists do not have the same length.
func newDrift(d *summary.Drift) *CycleDrift {
	if d == nil || len(d.Lengths.TS) != len(d.Lengths.MeanS) || len(d.Lengths.TS) != len(d.Lengths.MaxS) {
		return nil
	}
	l := d.Lengths
	out := &CycleDrift{Like: nonNil(d.Like), Iterations: d.Iterations, Slope: d.SlopePctPerHour, Lo: d.Lo, Hi: d.Hi,
		Steps: nonNil(d.Steps), Slow: nonNil(d.Slow), SlowCount: d.SlowCount,
		SlowS: d.SlowS, Lengths: summary.Lengths{Group: max(1, l.Group), TS: scaled(l.TS, 1), MeanS: scaled(l.MeanS, 1),
			MaxS: scaled(l.MaxS, 1)}}
	out.ChangePct, out.CostS = d.Change()
	return out
}

// broken returns the points of the drift chart's line: times x and mean lengths y of cycles, both in s. It inserts a
// point of NaN, which breaks the line, where no cycle was seen for more than three times as long as the preceding group
// of cycles took.
func (d CycleDrift) broken() (x, y []float64) {
	const maxGap = 3 // times the length of the iterations joined
	t, mean := floats(d.Lengths.TS), floats(d.Lengths.MeanS)
	for i := range t {
		if i > 0 && t[i]-t[i-1] > maxGap*mean[i-1]*float64(max(1, d.Lengths.Group)) {
			x, y = append(x, math.NaN()), append(y, math.NaN())
		}
		x, y = append(x, t[i]), append(y, mean[i])
	}
	return x, y
}
