package job

import (
	"context"
	"errors"

	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Scheduler is what starts jobs and calls the hooks.
type Scheduler interface {
	Hooks
	Processes
	Memory
}

// Hooks is what a scheduler tells hooks and jobs, and what its words mean.
type Hooks interface {
	// Told reads a hook's environment; its only error is an invalid job id. Clocks and boot id are the host's.
	Told(getenv func(string) string, h Host) (Told, error)
	// ID is the job id as a hook was given it, for complaints of what Told refuses.
	ID(getenv func(string) string) string
	// Node is what the scheduler calls this node, "" if it does not say.
	Node(getenv func(string) string) string
	// Within is the job in which a program that a user starts finds itself.
	Within(getenv func(string) string) (key run.Key, inside bool)
	// Nodes expands a list of nodes, in the order in which the job has them.
	Nodes(list string) ([]string, error)
	// StdOut is the path of a job's output as far as it is known, "" if it is not.
	StdOut(r Run, j run.Job) string
}

// Processes says which processes of a node belong to a run.
type Processes interface {
	// Owns tells whether a process belongs to a run that was not found to before.
	Owns(l *Look, p *Entry, r Run) bool
	// Own tells whether a program of this name is the scheduler's, not the job's.
	Own(program string) bool
	// Describe reads what the run's own processes say of it. They are the user's, so
	// it describes the run and decides nothing.
	Describe(l *Look, pids []int, r Run) Details
}

// Memory answers for jobs that are over or about to be, until ctx ends.
type Memory interface {
	// Remembers tells whether there is anybody to ask.
	Remembers() bool
	// Ask says what is known of a job now.
	Ask(ctx context.Context, id run.JobID) (Details, error)
	// Endings says how runs ended, as far as they have.
	Endings(ctx context.Context, runs []Question) ([]Ending, error)
	// Account is the end of the run that began at about start, with whose it was and
	// where; nil if it is not known.
	Account(ctx context.Context, id run.JobID, uid int, start float64) (*Ending, error)
	// Fields are what may explain a change of speed, such as the scheduler's version.
	Fields(ctx context.Context) map[string]string
}

// Told is what a hook's environment says about its run.
type Told struct {
	Run Run
	// OptOut is whether the user asked not to be watched.
	OptOut bool
	// Exit is nil where the hook was not told it.
	Exit *run.Exit
	// Used are counters of the job up to its end, as passed to the hook; the agent may have seen less.
	Used []run.Counter
}

// Question identifies a run in a query to the scheduler. Start and End are UTC epoch seconds, as the hooks saw
// them.
type Question struct {
	JobID      run.JobID
	Start, End float64
}

// ErrUnknown is a scheduler's answer for a job that it has forgotten, ErrNotAsked that
// of one whom the settings do not let be asked.
var (
	ErrUnknown  = errors.New("the scheduler does not know the job")
	ErrNotAsked = errors.New("the scheduler was not asked")
)

// NodeName returns the name that a node's files go by: what the scheduler calls it,
// since one host may be several nodes.
func NodeName(s Hooks, getenv func(string) string, hostname string) string {
	for _, name := range []string{s.Node(getenv), note.Clean(hostname, MaxText)} {
		if name != "" {
			return name
		}
	}
	return "localhost"
}
