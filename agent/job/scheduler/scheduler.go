// Package scheduler selects the scheduler: of a hook's caller, of the settings, or of a run.
//
// A hook identifies its caller by its argument, which is set in the scheduler's own configuration: no argument
// is Slurm, "local" is `jobgait run`. The environment is not trusted for that: a user of Slurm writes parts of
// it (SPANK_), one of Grid Engine nearly all. Programs that jobgait starts learn it from the environment that
// jobgait makes for them.
package scheduler

import (
	"context"
	"fmt"
	"io"

	"jobgait/agent/job"
	"jobgait/agent/job/local"
	"jobgait/agent/job/slurm"
	"jobgait/analysis/run"
	"jobgait/configs"
)

// Local is the argument by which `jobgait run` calls its hooks.
const Local = "local"

// CallerOfHook returns the scheduler that called a hook with these arguments, and the environment with the
// JOBGAIT_ONE_MACHINE that follows from it. Without an argument root ignores that variable; a user's own
// process keeps it, for a `jobgait run` of the previous version.
func CallerOfHook(args []string, getenv func(string) string, root bool) (job.Scheduler, func(string) string, error) {
	switch {
	case len(args) == 0 && root:
		return slurm.Scheduler{}, configs.WithoutOneMachine(getenv), nil
	case len(args) == 0:
		return slurm.Scheduler{}, getenv, nil
	case len(args) == 1 && args[0] == Local:
		return local.Standalone{}, configs.WithOneMachine(getenv), nil
	}
	return nil, nil, fmt.Errorf("unexpected argument %.40q: the scheduler calls this program without arguments", args[0])
}

// ForSettings returns the scheduler that the settings and the environment name, with the commands to query it.
func ForSettings(c configs.Config, getenv func(string) string) job.Scheduler {
	if configs.IsOneMachine(getenv) {
		return local.Standalone{}
	}
	return slurm.Scheduler{Scontrol: c.Slurm.Scontrol, Sacct: c.Slurm.Sacct, Sacctmgr: c.Slurm.Sacctmgr,
		AdminComment: c.Slurm.AdminComment, Conf: getenv("SLURM_CONF")}
}

// Accounting returns the accounting that the settings and the environment name.
func Accounting(c configs.Config, getenv func(string) string) job.Accounting {
	if configs.IsOneMachine(getenv) {
		return local.Standalone{}
	}
	return slurm.Scheduler{Scontrol: c.Slurm.Scontrol, Sacct: c.Slurm.Sacct, Sacctmgr: c.Slurm.Sacctmgr,
		AdminComment: c.Slurm.AdminComment, Conf: getenv("SLURM_CONF")}
}

// ReadScript parses the options that a batch script requests.
func ReadScript(r io.Reader) (job.ScriptOptions, error) { return slurm.ReadScript(r) }

// Mail parses what a scheduler passes to its mail program: the environment and the subject.
func Mail(getenv func(string) string, subject string) job.Mail { return slurm.Mail(getenv, subject) }

// ForRun returns the scheduler of a run, without commands to query it.
func ForRun(r job.Run) job.Scheduler {
	if r.RootPID != 0 {
		return local.Standalone{}
	}
	return slurm.Scheduler{}
}

// Nodes returns the names of the job's nodes in the scheduler's order; only the run's own node if it has no
// node list.
func Nodes(r job.Run) ([]string, error) {
	if r.Job.NodeList == "" {
		return []string{r.Node}, nil
	}
	return ForRun(r).Nodes(r.Job.NodeList)
}

// OnFirstNode reports whether the run's node is the first of its job. It returns false if the job's node list
// is invalid.
func OnFirstNode(r job.Run) bool {
	nodes, err := Nodes(r)
	return err == nil && r.IsFirst(nodes)
}

// CurrentJob returns the job in which a program with this environment runs; false outside of a job.
func CurrentJob(getenv func(string) string) (run.Key, bool) {
	for _, s := range []job.Scheduler{slurm.Scheduler{}} {
		if key, inside := s.CurrentJob(getenv); inside {
			return key, true
		}
	}
	return run.Key{}, false
}

// StepCommand returns the command that runs a program within a running job, on its first node; job.ErrNoSteps if
// that is impossible here.
func StepCommand(getenv func(string) string, id run.JobID, program ...string) (job.StepLaunch, error) {
	return slurm.Scheduler{}.StepCommand(getenv, id, program...)
}

// StepOnAllNodes returns the command that runs a program once on each node of a running job; job.ErrNoSteps if that
// is impossible here.
func StepOnAllNodes(ctx context.Context, getenv func(string) string, id run.JobID,
	program ...string) (job.StepLaunch,
	error) {
	return slurm.Scheduler{}.StepOnAllNodes(ctx, getenv, id, program...)
}

// EnvironForUser returns what a step that root starts with the rights of a job's user gets of root's environment.
func EnvironForUser(environ []string) []string { return slurm.Scheduler{}.EnvironForUser(environ) }

// TaskOf returns the scheduler's number of a task (the MPI rank) from the environment of one of its processes.
func TaskOf(getenv func(string) string) (number int, ok bool) {
	return slurm.Scheduler{}.TaskOf(getenv)
}

// NodeOf returns the scheduler's name of the node on which a program with this environment runs, "" outside of
// a job.
func NodeOf(getenv func(string) string) string { return slurm.Scheduler{}.Node(getenv) }
