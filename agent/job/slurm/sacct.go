package slurm

import (
	"bytes"
	"math"
	"strings"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// sacctFields are the columns that parseSacct reads. None contains a text that a user controls, because a line
// feed in it would begin a forged row.
const sacctFields = "JobIDRaw,UID,Start,End,State,ExitCode,GID,NodeList,User"

// parseSacct parses the output of `sacct -X -n -P -o sacctFields`, with times in epoch seconds
// (SLURM_TIME_FORMAT=%s), and returns the runs that are over. Other lines are ignored.
func parseSacct(output []byte) []job.SchedulerEnding {
	var list []job.SchedulerEnding
	for line := range bytes.Lines(output) {
		f := strings.SplitN(strings.TrimSuffix(string(line), "\n"), "|", 10)
		if len(f) != 9 {
			continue
		}
		id, err := run.ParseJobID(f[0])
		uid, start, end, gid := job.ParseBigCount(f[1]), job.ParseBigCount(f[2]), job.ParseBigCount(f[3]),
			job.ParseBigCount(f[6])
		state, _, _ := strings.Cut(f[4], " ") // "CANCELLED by 1000"
		if err != nil || uid == nil || start == nil || end == nil || *uid > math.MaxUint32 || gid == nil ||
			*gid > math.MaxUint32 || *end < *start || !isFinalState(state) {
			continue
		}
		list = append(list, job.SchedulerEnding{JobID: id, UID: int(*uid), GID: int(*gid), Start: *start, End: *end,
			State:    state,
			Exit:     parseExit(f[5]),
			NodeList: validNodeList(f[7]), User: note.Clean(f[8], job.MaxText)})
	}
	return list
}

// workDirFromSacct parses the output of `sacct -X -n -P -o WorkDir` for one job, which the user controls. It
// returns the path in the first line, "" if it is invalid.
func workDirFromSacct(output []byte) string {
	line, _, _ := bytes.Cut(output, []byte("\n"))
	return job.CleanPath(string(line))
}

// isFinalState reports whether a run never leaves this state. COMPLETING is not final: the Epilogs are running.
func isFinalState(state string) bool {
	switch state {
	case "BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "PREEMPTED",
		"REQUEUED", "TIMEOUT":
		return true
	}
	return false
}

// finalStateOf returns the state that the run will have in sacct, "" if it is not known yet. While Epilogs run
// the state is COMPLETING; then some reasons imply the final state.
func finalStateOf(state, reason string) string {
	switch {
	case isFinalState(state):
		return state
	case state != "COMPLETING":
		return ""
	}
	return map[string]string{"TimeLimit": "TIMEOUT", "NodeDown": "NODE_FAIL", "OutOfMemory": "OUT_OF_MEMORY"}[reason]
}
