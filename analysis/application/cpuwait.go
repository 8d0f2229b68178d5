package application

import (
	"jobgait/analysis/history"
	"jobgait/analysis/internal/robust"
	"jobgait/analysis/run"
)

// UsualCPUWait returns the median share of the elapsed time, 0 to 1, for which these runs waited for a CPU; nil if
// that is known of fewer than half of those that ended normally. The shares are estimates (run.CPUWaitShare).
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
		if *r.WaitingCPUs+*r.BusyCPUs > 0 {
			shares = append(shares, run.CPUWaitShare(*r.BusyCPUs, *r.WaitingCPUs))
		}
	}
	if len(shares) == 0 || 2*len(shares) < ended {
		return nil
	}
	usual := robust.Median(shares)
	return &usual
}
