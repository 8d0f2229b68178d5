package main

import (
	"errors"
	"fmt"

	"jobgait/agent/job"
	"jobgait/agent/unit"
	"jobgait/analysis/note"
	"jobgait/configs"
)

var errInside = errors.New("started inside the job's cgroup (PrologFlags=RunInJob?) and left it")

// leaveJob gets this process out of the cgroup of the job that it is to sample:
// it would be counted as what it is to count, and killed with it. It returns
// false if it had to stay. What systemd does later (package unit) comes too late.
func leaveJob(proc string, r job.Run, log func(error)) (left bool, notes []note.Note) {
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

// ownUnit asks systemd for a scope, for slurmd's service is not the agent's place.
// It is called when sampling has begun, and nothing waits for the answer.
func ownUnit(systemd unit.Manager, r job.Run, c configs.Agent, log func(error)) {
	if r.RootPID == 0 && c.OwnScope() {
		systemd.Aside(fmt.Sprintf("agent-%d", r.Key.JobID), log)
	}
}
