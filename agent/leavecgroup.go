package main

import (
	"errors"
	"fmt"

	"jobgait/agent/job"
	"jobgait/agent/unit"
	"jobgait/analysis/note"
	"jobgait/configs"
)

var errInside = errors.New("the agent started in the job's cgroup and left it, so the job is not charged for it: " +
	"RunInJob in Slurm's PrologFlags starts it there")

// leaveJobCgroup moves this process out of the cgroup of the job that it samples: it would be counted as part
// of the job and killed with it. It returns false, with a note, if that fails. Under `jobgait run` it moves
// nothing and returns true. The scope from systemd (package unit) would come too late.
func leaveJobCgroup(proc string, r job.Run, log func(error)) (left bool, notes []note.Note) {
	if r.RootPID != 0 { // `jobgait run` in a batch script is the user's own
		return true, nil
	}
	switch inside, err := job.LeaveCgroup(proc); {
	case err != nil:
		return false, []note.Note{note.New(note.InsideJob,
			"the agent was started inside the job's cgroup (PrologFlags=RunInJob?) and could not leave it, so it did not "+
				"sample: %v", err)}
	case inside:
		log(errInside) // for the administrator; the user's report has nothing of it
	}
	return true, nil
}

// requestScope asks systemd to move the agent from slurmd's service into a scope of its own, if the settings
// want that and the run is not one of `jobgait run`. It is called when sampling has begun, and does not wait
// for the answer.
func requestScope(systemd unit.Manager, r job.Run, c configs.Agent, log func(error)) {
	if r.RootPID == 0 && c.OwnScope() {
		systemd.ScopeInBackground(fmt.Sprintf("agent-%d", r.Key.JobID), log)
	}
}
