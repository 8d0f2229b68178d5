package job

import (
	"bytes"
	"math"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Ending is what the scheduler says of one run that is over.
type Ending struct {
	JobID summary.JobID
	UID   int
	// Start and End are UTC epoch seconds.
	Start, End int64
	// State is sacct's word: one of those that no run leaves.
	State string
	Exit  *summary.Exit
	// GID, NodeList and User are sacct's only: -1 and "" of scontrol's.
	GID            int
	NodeList, User string
}

// SacctFields are the columns that FromSacct reads. None is a text of a user's: a
// line's end in one would begin a row of his making.
const SacctFields = "JobIDRaw,UID,Start,End,State,ExitCode,GID,NodeList,User"

// FromSacct reads what `sacct -X -n -P -o SacctFields` prints of runs that are over,
// with times in epoch seconds (SLURM_TIME_FORMAT=%s). Other lines are left out.
func FromSacct(output []byte) []Ending {
	var list []Ending
	for line := range bytes.Lines(output) {
		f := strings.SplitN(strings.TrimSuffix(string(line), "\n"), "|", 10)
		if len(f) != 9 {
			continue
		}
		id, err := summary.ParseJobID(f[0])
		uid, start, end, gid := bigCount(f[1]), bigCount(f[2]), bigCount(f[3]), bigCount(f[6])
		state, _, _ := strings.Cut(f[4], " ") // "CANCELLED by 1000"
		if err != nil || uid == nil || start == nil || end == nil || *uid > math.MaxUint32 || gid == nil || *gid > math.MaxUint32 || *end < *start || !FinalState(state) {
			continue
		}
		list = append(list, Ending{JobID: id, UID: int(*uid), GID: int(*gid), Start: *start, End: *end, State: state, Exit: exitOf(f[5]),
			NodeList: plainList(f[7]), User: note.Clean(f[8], maxText)})
	}
	return list
}

// WorkDirFromSacct reads what `sacct -X -n -P -o WorkDir` prints of one job of one
// user, whose text it is: the first path, "" if there is none.
func WorkDirFromSacct(output []byte) string {
	line, _, _ := bytes.Cut(output, []byte("\n"))
	return cleanPath(string(line))
}

// FinalState tells whether no run leaves this state. COMPLETING is none: the
// Epilogs are running.
func FinalState(state string) bool {
	switch state {
	case "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED", "REQUEUED", "TIMEOUT":
		return true
	}
	return false
}

// Final is the state that the run will have in sacct, "" if it is not known yet.
// While Epilogs run there is no state but COMPLETING, and for some ends a reason
// that no other end has.
func (d Details) Final() string {
	switch {
	case FinalState(d.State):
		return d.State
	case d.State != "COMPLETING":
		return ""
	}
	return map[string]string{"TimeLimit": "TIMEOUT", "NodeDown": "NODE_FAIL", "OutOfMemory": "OUT_OF_MEMORY"}[d.Reason]
}

// Ending is what scontrol says of a run that is over, as far as it says it.
func (d Details) Ending(jobID summary.JobID) (Ending, bool) {
	if !FinalState(d.State) || d.UID == nil || d.Start == nil || d.End == nil {
		return Ending{}, false
	}
	return Ending{JobID: jobID, UID: *d.UID, GID: -1, Start: *d.Start, End: *d.End, State: d.State, Exit: d.Exit}, true
}

// ofOneRun is by how many seconds a Prolog may seem to come before the scheduler's
// start of its run, or after its end, where that start was not told: clocks differ.
// A job that was requeued at once began again 30 s later.
const ofOneRun = 5

// EndingOf returns the one of a run, nil if there is none. An id alone does not do:
// the scheduler gives it out again, and a requeued job keeps it. start is when the
// Prolog saw the run begin, told what the scheduler said of that, if it did.
func EndingOf(list []Ending, jobID summary.JobID, uid int, start float64, told *int64) *Ending {
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
