package main

import (
	"errors"

	"jobgait/agent/job"
	"jobgait/analysis/note"
)

var errInside = errors.New("started inside the job's cgroup (PrologFlags=RunInJob?) and left it")

// leaveJob gets this process out of the cgroup of the job that it is to sample:
// it would be counted as what it is to count, and killed with it. It returns
// false if it had to stay. launch = "systemd" starts it in a unit of its own and
// needs none of this.
func leaveJob(proc string, r job.Run, log func(error)) (left bool, notes []note.Note) {
	if r.RootPID != 0 { // `jobgait run` in a batch script is the user's own
		return true, nil
	}
	switch inside, err := job.LeaveCgroup(proc); {
	case err != nil:
		return false, []note.Note{note.New(note.InsideJob,
			"the agent was started inside the job's cgroup (PrologFlags=RunInJob?) and could not leave it, so it did not sample: %v; launch = \"systemd\" starts it outside", err)}
	case inside:
		log(errInside) // for the administrator; the user's report has nothing of it
	}
	return true, nil
}
