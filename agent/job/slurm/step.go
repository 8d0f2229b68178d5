package slurm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// StepCommand returns the command that runs a program in a running job, on its first node, beside the job's own
// tasks; job.ErrNoSteps if srun is missing or within a step.
func (s Scheduler) StepCommand(getenv func(string) string, id run.JobID, program ...string) (job.StepLaunch, error) {
	srun, err := clientProgram(getenv, "srun")
	if err != nil {
		return job.StepLaunch{}, err
	}
	return job.StepLaunch{Command: stepArguments(srun, id, []string{"--nodes=1", "--ntasks=1"}, program),
		Environ: clientEnviron(os.Environ())}, nil
}

// maxStepWait is how long a step goes on after its first task has ended.
const maxStepWait = 15 * time.Second

// squeueLimit is how long squeue may take.
const squeueLimit = 10 * time.Second

// StepOnAllNodes returns the command that runs a program once on each node of a running job. It queries squeue for
// the nodes, because srun starts one task on one node unless it gets their number. The error is job.ErrNoSteps if
// squeue or srun is missing or within a step, and job.ErrUnknown if there is no such job.
func (s Scheduler) StepOnAllNodes(ctx context.Context, getenv func(string) string, id run.JobID, program ...string) (
	job.StepLaunch, error,
) {
	srun, err := clientProgram(getenv, "srun")
	if err != nil {
		return job.StepLaunch{}, err
	}
	squeue, err := clientProgram(getenv, "squeue")
	if err != nil {
		return job.StepLaunch{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, squeueLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, squeue, "--noheader", "--states=running", "--format=%A %U %G %N",
		"--jobs="+id.String())
	cmd.Env, cmd.WaitDelay = clientEnviron(os.Environ()), time.Second
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return job.StepLaunch{}, fmt.Errorf(
			"query the nodes of job %d: squeue did not end within %v: check slurmctld with scontrol ping",
			id, squeueLimit)
	}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && strings.Contains(string(exit.Stderr), "Invalid job id"):
		return job.StepLaunch{}, job.ErrUnknown
	case errors.As(err, &exit):
		first, _, _ := strings.Cut(strings.TrimSpace(string(exit.Stderr)), "\n")
		return job.StepLaunch{}, fmt.Errorf("query the nodes of job %d with squeue: %s", id,
			note.Clean(strings.TrimPrefix(first, "squeue: error: "), 160))
	case err != nil:
		return job.StepLaunch{}, fmt.Errorf("query the nodes of job %d with squeue: %w", id, err)
	}
	step, err := parseStepJob(string(out), id)
	if err != nil {
		return job.StepLaunch{}, err
	}
	n := strconv.Itoa(len(step.Nodes))
	step.Command = stepArguments(srun, id, []string{"--nodes=" + n, "--ntasks=" + n, "--ntasks-per-node=1", "--no-kill",
		fmt.Sprintf("--wait=%.0f", maxStepWait.Seconds()), "--time=1"}, program)
	step.Environ = clientEnviron(os.Environ())
	return step, nil
}

// parseStepJob parses squeue's lines "job user group nodes" and returns the owner and the nodes of a job. Without a
// line of the job, which is then not running, it returns an error.
func parseStepJob(output string, id run.JobID) (job.StepLaunch, error) {
	for line := range strings.Lines(output) {
		f := strings.Fields(line)
		if len(f) != 4 || f[0] != id.String() {
			continue
		}
		uid, err := strconv.ParseUint(f[1], 10, 32)
		gid, errOfGroup := strconv.ParseUint(f[2], 10, 32)
		nodes, errOfNodes := expandNodeList(f[3])
		if err = errors.Join(err, errOfGroup, errOfNodes); err != nil {
			return job.StepLaunch{}, fmt.Errorf("parse squeue's line on job %d: want JOB UID GID NODES: %w", id, err)
		}
		return job.StepLaunch{Nodes: nodes, UID: uint32(uid), GID: uint32(gid)}, nil
	}
	return job.StepLaunch{}, fmt.Errorf("job %d is not running: name a running job", id)
}

// clientProgram returns the path of one of Slurm's programs for users; job.ErrNoSteps inside a step and if the
// program is in none of the usual directories: its path does not depend on PATH.
func clientProgram(getenv func(string) string, name string) (string, error) {
	if getenv("SLURM_STEP_ID") != "" {
		return "", job.ErrNoSteps
	}
	for _, dir := range []string{"/usr/bin", "/usr/local/bin", "/opt/slurm/bin"} {
		path := filepath.Join(dir, name)
		if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
			return path, nil
		}
	}
	return "", job.ErrNoSteps
}

// clientEnviron returns an environment for Slurm's programs: without variables that srun takes as options, such as
// those of the job whose script calls jobgait, which contradict each other and the command line.
func clientEnviron(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		kept := []string{"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT"}
		return (strings.HasPrefix(name, "SLURM") || strings.HasPrefix(name, "SRUN_") ||
			strings.HasPrefix(name, "SQUEUE_")) && !slices.Contains(kept, name)
	})
}

// EnvironForUser returns the variables of root's environment that a step with the rights of another user gets. That
// user can read the environment of srun and of its tasks, so it has no token, key or address of an agent.
func (Scheduler) EnvironForUser(environ []string) []string {
	list := []string{"PATH=/usr/bin:/bin"}
	for _, v := range environ {
		name, _, _ := strings.Cut(v, "=")
		if slices.Contains([]string{"SLURM_CONF", "SLURM_CONF_SERVER", "JOBGAIT_CONFIG"}, name) {
			list = append(list, v)
		}
	}
	return list
}

// stepArguments returns the command line by which srun runs program as a step of a job; where has further options
// for srun. The step starts no server of an MPI library.
func stepArguments(srun string, id run.JobID, where, program []string) []string {
	command := append([]string{srun, "--overlap", "--jobid", id.String()}, where...)
	return append(append(command, "--mpi=none", "--quiet", "--immediate=10"), program...)
}
