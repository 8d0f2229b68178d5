package job

import (
	"math"
	"strconv"
	"syscall"

	"jobgait/analysis/run"
)

// SchedulerEnding is how one run ended, according to the scheduler.
type SchedulerEnding struct {
	JobID run.JobID
	UID   int
	// Start and End are UTC epoch seconds.
	Start, End int64
	State      string
	Exit       *run.Exit
	// Only an accounting gives these; -1 and "" mean unknown.
	GID                     int
	NodeList, User, WorkDir string
}

// Ending returns how the run ended; false if it is not over or user, start or end are unknown.
func (d Details) Ending(jobID run.JobID) (SchedulerEnding, bool) {
	if !d.Over || d.UID == nil || d.Start == nil || d.End == nil {
		return SchedulerEnding{}, false
	}
	return SchedulerEnding{JobID: jobID, UID: *d.UID, GID: -1, Start: *d.Start, End: *d.End, State: d.State,
		Exit: d.Exit}, true
}

// maxStartGapS is by how many seconds a Prolog may seem to precede the scheduler's start of its run, or to
// follow its end, since clocks differ. A job that was requeued at once began again 30 s later.
const maxStartGapS = 5

// EndingOf returns the ending of a run, nil if it is not in the list. The id alone is not enough: the scheduler
// reuses ids, and a requeued job keeps its id. start is the Prolog's start time of the run. If
// schedulerStart, the scheduler's start time, is not nil, it must match within 1 s. Otherwise the ending whose start
// is nearest to start is returned, of those that began before start and ended after it, within maxStartGapS.
func EndingOf(list []SchedulerEnding, jobID run.JobID, uid int, start float64, schedulerStart *int64) *SchedulerEnding {
	var best *SchedulerEnding
	far := func(e SchedulerEnding) float64 { return math.Abs(float64(e.Start) - start) }
	for i, e := range list {
		switch {
		case e.JobID != jobID || e.UID != uid:
		case schedulerStart != nil:
			if math.Abs(float64(e.Start-*schedulerStart)) <= 1 {
				return &list[i]
			}
		case float64(e.Start) <= start+
			maxStartGapS && float64(e.End) >= start-maxStartGapS && (best == nil || far(e) < far(*best)):
			best = &list[i]
		}
	}
	return best
}

// ExitOf parses a wait status in digits: 768 for exit 3, 11 for a segmentation fault; nil if s is not a wait
// status.
func ExitOf(s string) *run.Exit {
	n, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return nil
	}
	w := syscall.WaitStatus(n)
	switch {
	case w.Exited():
		return &run.Exit{Code: w.ExitStatus()}
	case w.Signaled():
		return &run.Exit{Signal: int(w.Signal())}
	}
	return nil
}
