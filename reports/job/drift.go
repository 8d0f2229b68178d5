package job

import (
	"math"

	"jobgait/analysis/phase"
	"jobgait/analysis/summary"
)

// CycleDrift is how the length of iterations changed during the run. The slope is in
// percent of the period an hour, with its 95 % interval; it means little where
// there are steps.
type CycleDrift struct {
	// Like are patterns of the same look that are judged together with this.
	Like       []string     `json:"like"`
	Iterations int          `json:"iterations"`
	Slope      float64      `json:"slope_pct_per_hour"`
	Lo         float64      `json:"ci_lo"`
	Hi         float64      `json:"ci_hi"`
	Steps      []phase.Step `json:"steps"`
	// ChangePct is from before the first step to after the last, or the slope
	// over the run; 0 where neither is clear of noise. CostS is the time that
	// iterations took beyond what they did before they changed.
	ChangePct float64         `json:"change_pct"`
	CostS     float64         `json:"cost_s"`
	Slow      []phase.Slow    `json:"slow"`
	SlowCount int             `json:"slow_count"`
	SlowS     float64         `json:"slow_s"`
	Lengths   summary.Lengths `json:"lengths"`
}

func newDrift(d *summary.Drift) *CycleDrift {
	if d == nil || len(d.Lengths.TS) != len(d.Lengths.MeanS) || len(d.Lengths.TS) != len(d.Lengths.MaxS) {
		return nil
	}
	l := d.Lengths
	out := &CycleDrift{Like: listed(d.Like), Iterations: d.Iterations, Slope: d.SlopePctPerHour, Lo: d.Lo, Hi: d.Hi,
		Steps: listed(d.Steps), Slow: listed(d.Slow), SlowCount: d.SlowCount,
		SlowS: d.SlowS, Lengths: summary.Lengths{Group: max(1, l.Group), TS: scaled(l.TS, 1), MeanS: scaled(l.MeanS, 1),
			MaxS: scaled(l.MaxS, 1)}}
	out.ChangePct, out.CostS = d.Change()
	return out
}

// broken is the lengths with a break wherever so much time passed without an
// iteration that a line across it would be taken for iterations.
func (d CycleDrift) broken() (x, y []float64) {
	const most = 3 // times as long as what is joined
	t, mean := floats(d.Lengths.TS), floats(d.Lengths.MeanS)
	for i := range t {
		if i > 0 && t[i]-t[i-1] > most*mean[i-1]*float64(max(1, d.Lengths.Group)) {
			x, y = append(x, math.NaN()), append(y, math.NaN())
		}
		x, y = append(x, t[i]), append(y, mean[i])
	}
	return x, y
}
