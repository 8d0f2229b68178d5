package job

import (
	"context"
	"errors"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Scheduler is the interface to the program that starts jobs and calls the hooks.
type Scheduler interface {
	Hooks
	Processes
	JobQueries
}

// Hooks interprets the environment that a scheduler passes to hooks and jobs.
type Hooks interface {
	// ReadContext parses a hook's environment; clocks and boot id come from h. It fails only if the environment
	// identifies no valid run.
	ReadContext(getenv func(string) string, h Host) (HookContext, error)
	// ID returns the job id in a hook's environment, unchecked, for error messages about contexts that ReadContext
	// rejects.
	ID(getenv func(string) string) string
	// Node returns the scheduler's name of this node, "" if the environment does not name it.
	Node(getenv func(string) string) string
	// CurrentJob returns the job in which a program with this environment runs; false outside of a job.
	CurrentJob(getenv func(string) string) (key run.Key, inside bool)
	// Nodes expands a node list into names, in the job's order.
	Nodes(list string) ([]string, error)
	// StdOut returns the path of a job's output with its pattern expanded, "" if unknown.
	StdOut(r Run, j run.Job) string
}

// Processes decides which processes of a node belong to a run.
type Processes interface {
	// Owns reports whether a process that is not yet known as a member belongs to a run.
	Owns(l *ProcessSnapshot, p *ProcessEntry, r Run) bool
	// IsSchedulerProgram reports whether a program of this name belongs to the scheduler, not the job.
	IsSchedulerProgram(program string) bool
	// Describe reads details of the run from the environment of its processes. The user controls these, so they
	// describe the run and decide nothing.
	Describe(l *ProcessSnapshot, pids []int, r Run) Details
}

// JobQueries queries the scheduler and its accounting about jobs, until ctx ends.
type JobQueries interface {
	// CanQuery reports whether the settings name a command for queries.
	CanQuery() bool
	// QueryJob returns what the scheduler knows of a job now; ErrUnknown if it does not know it.
	QueryJob(ctx context.Context, id run.JobID) (Details, error)
	// Endings returns how the runs ended. It leaves out runs that are not over.
	Endings(ctx context.Context, runs []EndingQuery) ([]SchedulerEnding, error)
	// FindEnding returns the ending of the user's run that began at about start, with its user, nodes and work
	// directory; nil if unknown.
	FindEnding(ctx context.Context, id run.JobID, uid int, start float64) (*SchedulerEnding, error)
	// Fields returns values that may explain a change of speed, such as the scheduler's version.
	Fields(ctx context.Context) map[string]string
}

// HookContext is what a hook's environment says about its run.
type HookContext struct {
	Run Run
	// OptOut says whether the user requested not to be watched.
	OptOut bool
	// Exit is nil if the hook received no exit code.
	Exit *run.Exit
	// Used are the job's counters up to its end, as passed to the hook; the agent may have seen less.
	Used []run.Counter
}

// EndingQuery identifies a run in a query to the scheduler. Start and End are the hooks' times in UTC epoch
// seconds.
type EndingQuery struct {
	JobID      run.JobID
	Start, End float64
}

// StepLaunch is a command that starts a job step beside the tasks of a running job.
type StepLaunch struct {
	Command, Environ []string
	// Nodes are the job's nodes, and UID and GID its owner, who alone may start the step. Only StepOnAllNodes sets
	// them.
	Nodes    []string
	UID, GID uint32
}

// ErrNoSteps is returned where no job step can be started.
var ErrNoSteps = errors.New("no job step can be started here: run this on a host that has srun, and not within a " +
	"job step")

// ErrUnknown is returned for a job that the scheduler does not know (any more), ErrNotQueried if the settings
// disable queries.
var (
	ErrUnknown    = errors.New("the scheduler has no record of the job")
	ErrNotQueried = errors.New("the scheduler was not queried: the settings name no command for that")
)

// NodeName returns the name for a node's files: the scheduler's name of the node, since one host may be several
// nodes, else the host name, else "localhost".
func NodeName(s Hooks, getenv func(string) string, hostname string) string {
	for _, name := range []string{s.Node(getenv), note.Clean(hostname, MaxText)} {
		if name != "" {
			return name
		}
	}
	return "localhost"
}
