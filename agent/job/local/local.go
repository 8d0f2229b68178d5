// Package local implements job.Scheduler for `jobgait run`. A Run goes in and is passed to the hooks in one
// environment variable; it comes out validated and cleaned. Processes belong to the run by descent from its
// command only. It cannot be queried how a run ended, because `jobgait run` passes that to the Epilog itself.
package local

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"syscall"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Standalone is the scheduler of `jobgait run`.
type Standalone struct{}

var _ job.Scheduler = Standalone{}

// Variables for the hooks, and two more for the Epilog: how the command ended, and what it used.
const (
	runName   = "JOBGAIT_RUN"
	endedName = "JOBGAIT_ENDED"
	usedName  = "JOBGAIT_USED"
)

// Environ returns the environment variable that passes a run to its hooks.
func Environ(r job.Run) ([]string, error) {
	text, err := json.Marshal(cleanedRun(r))
	if err != nil {
		return nil, fmt.Errorf("encode the run for the environment of the hooks: internal error, please report it: %w", err)
	}
	return []string{runName + "=" + string(text)}, nil
}

// WaitStatusVariable returns the Epilog's variable with the command's wait status.
func WaitStatusVariable(status syscall.WaitStatus) string {
	return endedName + "=" + strconv.FormatUint(uint64(status), 10)
}

// CountersVariable returns the Epilog's variable with the counters of the ended command.
func CountersVariable(counters []run.Counter) string {
	text, _ := json.Marshal(counters) // of finite numbers
	return usedName + "=" + string(text)
}

// ReadContext parses what Environ, WaitStatusVariable and CountersVariable return. The start times and the boot
// id come from h, not from the variable. The run has no GPUs and is never exclusive, because other programs use
// the machine too.
func (Standalone) ReadContext(getenv func(string) string, h job.Host) (job.HookContext, error) {
	var r job.Run
	if err := json.Unmarshal([]byte(getenv(runName)), &r); err != nil {
		return job.HookContext{}, fmt.Errorf(
			"read the variable %s, which jobgait run sets for its hooks: %w: start the command by jobgait run", runName,
			err)
	}
	if err := r.Key.Valid(); err != nil {
		return job.HookContext{}, fmt.Errorf(
			"the variable %s, which jobgait run sets, holds an invalid run key: %w: start the "+
				"command by jobgait run",
			runName, err)
	}
	if r.RootPID <= 0 {
		return job.HookContext{}, fmt.Errorf(
			"the variable %s holds no process id of a command: start the command by jobgait run", runName)
	}
	r = cleanedRun(r)
	r.GPUs = nil // no scheduler has assigned any
	r.StartReal, r.StartMono, r.BootID, r.Exclusive = h.Real, h.Mono, h.BootID, false
	hook := job.HookContext{Run: r, Exit: job.ExitOf(getenv(endedName))}
	_ = json.Unmarshal([]byte(getenv(usedName)), &hook.Used) // without it the agent's last look holds
	return hook, nil
}

// cleanedRun returns a run with its names made printable and its paths cleaned.
func cleanedRun(r job.Run) job.Run {
	for _, s := range []*string{&r.Node, &r.Job.User, &r.Job.Name, &r.Job.Script, &r.Job.App, &r.Job.Size,
		&r.Job.NodeList} {
		*s = note.Clean(*s, job.MaxText)
	}
	r.Names, _ = run.ParseDisclosureLevel(string(r.Names))
	r.Job.WorkDir, r.ReportDir = job.CleanPath(r.Job.WorkDir), job.CleanPath(r.ReportDir)
	return r
}

// ID returns the number of the run, "" if the variable has no valid number.
func (s Standalone) ID(getenv func(string) string) string {
	hook, err := s.ReadContext(getenv, job.Host{})
	if err != nil {
		return ""
	}
	return hook.Run.Key.JobID.String()
}

// Node returns "", so that the host name is used.
func (Standalone) Node(func(string) string) string { return "" }

// CurrentJob returns false: a `jobgait run` within another is counted separately.
func (Standalone) CurrentJob(func(string) string) (run.Key, bool) { return run.Key{}, false }

// Nodes returns the name of the one machine.
func (Standalone) Nodes(list string) ([]string, error) { return []string{list}, nil }

// StdOut returns "": the command has its caller's streams.
func (Standalone) StdOut(job.Run, run.Job) string { return "" }

// Owns reports whether the process descends from the run's command or from a known member.
func (Standalone) Owns(l *job.ProcessSnapshot, p *job.ProcessEntry, r job.Run) bool {
	for q := range l.Ancestors(p.PID) {
		if q.PID == r.RootPID || l.IsKnownMember(q) {
			return true
		}
	}
	return false
}

// IsSchedulerProgram returns false: `jobgait run` is not among the command's descendants.
func (Standalone) IsSchedulerProgram(string) bool { return false }

// Describe returns nothing: the hooks' environment is complete.
func (Standalone) Describe(*job.ProcessSnapshot, []int, job.Run) job.Details { return job.Details{} }

// CanQuery returns false; the other methods of job.JobQueries return nothing.
func (Standalone) CanQuery() bool { return false }

// QueryJob returns job.ErrNotQueried.
func (Standalone) QueryJob(context.Context, run.JobID) (job.Details, error) {
	return job.Details{}, job.ErrNotQueried
}

// Endings returns nil.
func (Standalone) Endings(context.Context, []job.EndingQuery) ([]job.SchedulerEnding, error) {
	return nil, nil
}

// FindEnding returns nil.
func (Standalone) FindEnding(context.Context, run.JobID, int, float64) (*job.SchedulerEnding, error) {
	return nil, nil
}

// Fields returns nil.
func (Standalone) Fields(context.Context) map[string]string { return nil }
