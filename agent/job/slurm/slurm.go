// Package slurm is Slurm as a job.Scheduler, 22.05 to 26.05, and the one place for its
// words. The environment of Prolog and Epilog, what processes say of their job and the
// answers of scontrol and sacct come in; a Run, Details and Endings go out. Where its
// cgroups lie is agent/cgroup's.
//
// Slurm tells Prolog and Epilog of one run different restart counts, an exit code 0 of
// jobs that were cancelled, and neither name nor array nor final state: these come from
// the job's own processes and from the commands. All but the job id is optional. The
// SPANK_ variables, the texts and the paths are the user's, and so hostile.
package slurm

import (
	"os"
	"slices"
	"strconv"

	"jobgait/agent/job"
	"jobgait/analysis/run"
)

// Scheduler is Slurm, as far as its commands are known; "" asks none.
type Scheduler struct {
	Scontrol, Sacct string // absolute paths
	Sacctmgr        string
	Conf            string // where the commands find their cluster, "" is their default
	AdminComment    bool   // whether the administrator's comment of a job is written
}

var _ job.Scheduler = Scheduler{}

// Step returns the command that runs a program in a running job, on its first node, beside the job's own tasks;
// nil if srun is missing, or within a step.
func (s Scheduler) Step(getenv func(string) string, id run.JobID, program ...string) []string {
	return s.step(getenv, id, []string{"--nodes=1", "--ntasks=1"}, program)
}

// StepOnAllNodes returns the command that runs a program once on each node of a running job.
func (s Scheduler) StepOnAllNodes(getenv func(string) string, id run.JobID, program ...string) []string {
	return s.step(getenv, id, []string{"--ntasks-per-node=1", "--no-kill"}, program)
}

// step makes the command. The path of srun does not depend on PATH.
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

// TaskOf returns the number of a task of a step by the environment of one of its processes. The batch script and what
// it starts outside of a step have number 0 in there and are no task.
func (Scheduler) TaskOf(getenv func(string) string) (number int, ok bool) {
	n, err := strconv.Atoi(getenv("SLURM_PROCID"))
	return n, err == nil && n >= 0 && getenv("SLURM_STEP_ID") != ""
}
