// Package slurm implements job.Scheduler for Slurm 22.05 to 26.05; no other package knows Slurm's variables and
// commands. The environments of Prolog, Epilog and the job's processes and the output of scontrol and sacct
// come in; a Run, Details and Endings go out. Its cgroup paths are in package cgroup.
//
// Slurm passes different restart counts to Prolog and Epilog of one run, exit code 0 for cancelled jobs, and
// neither name nor array nor final state: these come from the job's own processes and from the commands. All
// but the job id is optional. The SPANK_ variables, the texts and the paths are the user's, and so hostile.
package slurm

import (
	"strconv"

	"jobgait/agent/job"
)

// Scheduler is Slurm with the paths of its commands; "" disables a command.
type Scheduler struct {
	Scontrol, Sacct string // absolute paths
	Sacctmgr        string
	Conf            string // slurm.conf for the commands, "" for their default
	AdminComment    bool   // write the administrator's comment of jobs
}

var _ job.Scheduler = Scheduler{}

// TaskOf returns the number of a task of a step by the environment of one of its processes. The batch script
// and what it starts outside of a step have SLURM_PROCID 0 but no step, and are not tasks.
func (Scheduler) TaskOf(getenv func(string) string) (number int, ok bool) {
	n, err := strconv.Atoi(getenv("SLURM_PROCID"))
	return n, err == nil && n >= 0 && getenv("SLURM_STEP_ID") != ""
}
