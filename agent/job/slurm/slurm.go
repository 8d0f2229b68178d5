// Package slurm implements job.Scheduler for Slurm 22.05 to 26.05; no other package knows Slurm's variables and
// commands. The environments of Prolog, Epilog and the job's processes and the output of scontrol and sacct
// come in; a Run, Details and Endings go out. Its cgroup paths are in package cgroup.
//
// Slurm passes different restart counts to Prolog and Epilog of one run, exit code 0 for cancelled jobs, and
// neither name nor array nor final state: these come from the job's own processes and from the commands. All
// but the job id is optional. The SPANK_ variables, the texts and the paths are the user's, and so hostile.
package slurm

import (
	"os"
	"slices"
	"strconv"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// Scheduler is Slurm with the paths of its commands; "" disables a command.
type Scheduler struct {
	Scontrol, Sacct string // absolute paths
	Sacctmgr        string
	Conf            string // slurm.conf for the commands, "" for their default
	AdminComment    bool   // write the administrator's comment of jobs
}

var _ job.Scheduler = Scheduler{}

// StepCommand returns the command line that runs a program in a running job, on its first node, beside the
// job's own tasks; nil if srun is missing or within a step.
func (s Scheduler) StepCommand(getenv func(string) string, id run.JobID, program ...string) []string {
	return s.step(getenv, id, []string{"--nodes=1", "--ntasks=1"}, program)
}

// StepOnAllNodes returns the command line that runs a program once on each node of a running job; nil if srun
// is missing or within a step.
func (s Scheduler) StepOnAllNodes(getenv func(string) string, id run.JobID, program ...string) []string {
	return s.step(getenv, id, []string{"--ntasks-per-node=1", "--no-kill"}, program)
}

// step returns the command line by which srun runs program as a step of a job; where has further options for
// srun. It returns nil inside a step and if srun is not in one of the usual directories: its path does not
// depend on PATH.
func (Scheduler) step(getenv func(string) string, id run.JobID, where, program []string) []string {
	sruns := []string{"/usr/bin/srun", "/usr/local/bin/srun", "/opt/slurm/bin/srun"}
	at := slices.IndexFunc(sruns, func(p string) bool {
		st, err := os.Stat(p)
		return err == nil && st.Mode().IsRegular()
	})
	if at < 0 || getenv("SLURM_STEP_ID") != "" {
		return nil
	}
	command := []string{sruns[at], "--overlap", "--jobid", strconv.FormatInt(int64(id), 10)}
	return append(append(append(command, where...), "--quiet", "--immediate=10"), program...)
}

// TaskOf returns the number of a task of a step by the environment of one of its processes. The batch script
// and what it starts outside of a step have SLURM_PROCID 0 but no step, and are not tasks.
func (Scheduler) TaskOf(getenv func(string) string) (number int, ok bool) {
	n, err := strconv.Atoi(getenv("SLURM_PROCID"))
	return n, err == nil && n >= 0 && getenv("SLURM_STEP_ID") != ""
}
