package application

import (
	"math"

	"jobgait/analysis/history"
	"jobgait/analysis/internal/robust"
)

// UsualCPUWait returns the median share of the elapsed time, 0 to 1, for which these runs waited for a CPU; nil if
// that is known of fewer than half of those that ended normally. The share of a run is estimated from the mean numbers
// of its tasks that ran and that waited, as if both were constant.
func UsualCPUWait(runs []history.Run) *float64 {
	var shares []float64
	ended := 0
	for _, r := range runs {
		if !r.EndedNormally() {
			continue
		}
		ended++
		if r.WaitingCPUs == nil || r.BusyCPUs == nil {
			continue
		}
		if ready := *r.WaitingCPUs + *r.BusyCPUs; ready > 0 {
			shares = append(shares, math.Min(1, ready)**r.WaitingCPUs/ready)
		}
	}
	if len(shares) == 0 || 2*len(shares) < ended {
		return nil
	}
	usual := robust.Median(shares)
	return &usual
}
