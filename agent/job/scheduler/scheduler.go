// Package scheduler knows which schedulers there are, and which of them called.
//
// A hook believes who started it by its argument, which stands in the scheduler's own
// configuration: none is Slurm, "local" is `jobgait run`. Its environment is no witness:
// a user of Slurm writes parts of it (SPANK_), one of Grid Engine nearly all. What our
// programs start learns it from the environment that they make for it.
package scheduler

import (
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

// Hook returns the scheduler that called a hook with these arguments, and the trusted part of the environment.
// Root does not accept the claim of an unknown caller to be one machine; a user's own process does, for a
// `jobgait run` of the previous version.
func Hook(args []string, getenv func(string) string, root bool) (job.Scheduler, func(string) string, error) {
	switch {
	case len(args) == 0 && root:
		return slurm.Scheduler{}, configs.Cluster(getenv), nil
	case len(args) == 0:
		return slurm.Scheduler{}, getenv, nil
	case len(args) == 1 && args[0] == Local:
		return local.Standalone{}, configs.OneMachine(getenv), nil
	}
	return nil, nil, fmt.Errorf("called by a scheduler with its environment, takes no arguments of others: %.40q", args[0])
}

// Of returns the scheduler whose runs these settings are about.
func Of(c configs.Config, getenv func(string) string) job.Scheduler {
	if configs.IsOneMachine(getenv) {
		return local.Standalone{}
	}
	return slurm.Scheduler{Scontrol: c.Slurm.Scontrol, Sacct: c.Slurm.Sacct, Sacctmgr: c.Slurm.Sacctmgr,
		AdminComment: c.Slurm.AdminComment, Conf: getenv("SLURM_CONF")}
}

// Accounting returns the accounting that these settings name.
func Accounting(c configs.Config, getenv func(string) string) job.Accounting {
	if configs.IsOneMachine(getenv) {
		return local.Standalone{}
	}
	return slurm.Scheduler{Scontrol: c.Slurm.Scontrol, Sacct: c.Slurm.Sacct, Sacctmgr: c.Slurm.Sacctmgr,
		AdminComment: c.Slurm.AdminComment, Conf: getenv("SLURM_CONF")}
}

// ReadScript reads what a batch script asks for.
func ReadScript(r io.Reader) (job.ScriptOptions, error) { return slurm.ReadScript(r) }

// Mail reads what a scheduler passes to its program for mails.
func Mail(getenv func(string) string, subject string) job.Mail { return slurm.Mail(getenv, subject) }

// OfRun returns the scheduler of a run, without means to query it.
func OfRun(r job.Run) job.Scheduler {
	if r.RootPID != 0 {
		return local.Standalone{}
	}
	return slurm.Scheduler{}
}

// Nodes returns the nodes of the run's job in the scheduler's order. A run without a list
// has its own node only.
func Nodes(r job.Run) ([]string, error) {
	if r.Job.NodeList == "" {
		return []string{r.Node}, nil
	}
	return OfRun(r).Nodes(r.Job.NodeList)
}

// OnFirstNode reports whether the run's node is the first of its job. It is false where the
// job's list of nodes is invalid.
func OnFirstNode(r job.Run) bool {
	nodes, err := Nodes(r)
	return err == nil && r.IsFirst(nodes)
}

// Within is the job in which a program with this environment was started.
func Within(getenv func(string) string) (run.Key, bool) {
	for _, s := range []job.Scheduler{slurm.Scheduler{}} {
		if key, inside := s.Within(getenv); inside {
			return key, true
		}
	}
	return run.Key{}, false
}

// Step is the command that runs a program within a running job, on its first node; nil
// where that cannot be done.
func Step(getenv func(string) string, id run.JobID, program ...string) []string {
	return slurm.Scheduler{}.Step(getenv, id, program...)
}

// StepOnAllNodes is the command that runs a program once on each node of a running job; nil
// where that cannot be done.
func StepOnAllNodes(getenv func(string) string, id run.JobID, program ...string) []string {
	return slurm.Scheduler{}.StepOnAllNodes(getenv, id, program...)
}

// TaskOf returns the number that the scheduler gave a task, by the environment of one of its processes.
func TaskOf(getenv func(string) string) (number int, ok bool) {
	return slurm.Scheduler{}.TaskOf(getenv)
}

// NodeOf is the scheduler's name of the node on which a program with this environment runs, "" outside of a job.
func NodeOf(getenv func(string) string) string { return slurm.Scheduler{}.Node(getenv) }
