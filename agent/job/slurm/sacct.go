package slurm

import (
	"bytes"
	"math"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// sacctFields are the columns that fromSacct reads. None is a text of a user's: a
// line's end in one would begin a row of his making.
const sacctFields = "JobIDRaw,UID,Start,End,State,ExitCode,GID,NodeList,User"

// fromSacct reads what `sacct -X -n -P -o sacctFields` prints of runs that are over,
// with times in epoch seconds (SLURM_TIME_FORMAT=%s). Other lines are left out.
func fromSacct(output []byte) []job.Ending {
	var list []job.Ending
	for line := range bytes.Lines(output) {
		f := strings.SplitN(strings.TrimSuffix(string(line), "\n"), "|", 10)
		if len(f) != 9 {
			continue
		}
		id, err := run.ParseJobID(f[0])
		uid, start, end, gid := job.BigCount(f[1]), job.BigCount(f[2]), job.BigCount(f[3]), job.BigCount(f[6])
		state, _, _ := strings.Cut(f[4], " ") // "CANCELLED by 1000"
		if err != nil || uid == nil || start == nil || end == nil || *uid > math.MaxUint32 || gid == nil ||
			*gid > math.MaxUint32 || *end < *start || !finalState(state) {
			continue
		}
		list = append(list, job.Ending{JobID: id, UID: int(*uid), GID: int(*gid), Start: *start, End: *end, State: state,
			Exit:     exitOf(f[5]),
			NodeList: plainList(f[7]), User: note.Clean(f[8], job.MaxText)})
	}
	return list
}

// workDirFromSacct reads what `sacct -X -n -P -o WorkDir` prints for one job; the user controls the text. It
// returns the first path, "" if there is no path.
func workDirFromSacct(output []byte) string {
	line, _, _ := bytes.Cut(output, []byte("\n"))
	return job.CleanPath(string(line))
}

// finalState reports whether a run never leaves this state. COMPLETING is not final: the Epilogs are running.
func finalState(state string) bool {
	switch state {
	case "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
		"REQUEUED", "TIMEOUT":
		return true
	}
	return false
}

// final is the state that the run will have in sacct, "" if it is not known yet.
// While Epilogs run there is no state but COMPLETING, and for some ends a reason
// that no other end has.
func final(state, reason string) string {
	switch {
	case finalState(state):
		return state
	case state != "COMPLETING":
		return ""
	}
	return map[string]string{"TimeLimit": "TIMEOUT", "NodeDown": "NODE_FAIL", "OutOfMemory": "OUT_OF_MEMORY"}[reason]
}
