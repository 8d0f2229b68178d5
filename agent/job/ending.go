package job

import (
	"math"
	"strconv"
	"syscall"

	"jobgait/analysis/run"
)

// Ending is what the scheduler says of one run that is over.
type Ending struct {
	JobID run.JobID
	UID   int
	// Start and End are UTC epoch seconds.
	Start, End int64
	State      string
	Exit       *run.Exit
	// The others are an accounting's only: -1 and "" where it is not known.
	GID                     int
	NodeList, User, WorkDir string
}

// Ending is what the scheduler's answer says of a run that is over, as far as it says
// it.
func (d Details) Ending(jobID run.JobID) (Ending, bool) {
	if !d.Over || d.UID == nil || d.Start == nil || d.End == nil {
		return Ending{}, false
	}
	return Ending{JobID: jobID, UID: *d.UID, GID: -1, Start: *d.Start, End: *d.End, State: d.State, Exit: d.Exit}, true
}

// ofOneRun is by how many seconds a Prolog may seem to come before the scheduler's
// start of its run, or after its end, where that start was not told: clocks differ.
// A job that was requeued at once began again 30 s later.
const ofOneRun = 5

// EndingOf returns the ending of a run, nil if the list has none. The id alone is not enough: the scheduler
// reuses ids, and a requeued job keeps its id. start is when the Prolog saw the run begin, told the scheduler's
// start time if known.
func EndingOf(list []Ending, jobID run.JobID, uid int, start float64, told *int64) *Ending {
	var best *Ending
	far := func(e Ending) float64 { return math.Abs(float64(e.Start) - start) }
	for i, e := range list {
		switch {
		case e.JobID != jobID || e.UID != uid:
		case told != nil:
			if math.Abs(float64(e.Start-*told)) <= 1 {
				return &list[i]
			}
		case float64(e.Start) <= start+ofOneRun && float64(e.End) >= start-ofOneRun && (best == nil || far(e) < far(*best)):
			best = &list[i]
		}
	}
	return best
}

// ExitOf reads a wait status in digits: 768 for exit 3, 11 for a segmentation fault; nil if s is no wait
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
