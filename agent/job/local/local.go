// Package local is `jobgait run` as a job.Scheduler: the smallest there is. What it
// knows of its command goes to the hooks as one Run, and comes back checked. Whose
// process it is goes by descent alone; it is never asked how a run ended, because it
// was there and has told the Epilog. Names and paths are the user's own, and cleaned.
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

// Standalone is `jobgait run`.
type Standalone struct{}

var _ job.Scheduler = Standalone{}

// Variables for the hooks, and two more for the Epilog: how the command ended, and what it used.
const (
	runName   = "JOBGAIT_RUN"
	endedName = "JOBGAIT_ENDED"
	usedName  = "JOBGAIT_USED"
)

// Environ returns the environment of a run's hooks.
func Environ(r job.Run) ([]string, error) {
	text, err := json.Marshal(cleaned(r))
	if err != nil {
		return nil, fmt.Errorf("encode the run for the hooks: %w", err)
	}
	return []string{runName + "=" + string(text)}, nil
}

// Ended returns the Epilog's variable with the command's wait status.
func Ended(status syscall.WaitStatus) string {
	return endedName + "=" + strconv.FormatUint(uint64(status), 10)
}

// Used returns the Epilog's variable with the counters of the ended command.
func Used(counters []run.Counter) string {
	text, _ := json.Marshal(counters) // of finite numbers
	return usedName + "=" + string(text)
}

// Told reads what Environ made. The machine on which somebody runs a command is not
// that command's alone.
func (Standalone) Told(getenv func(string) string, h job.Host) (job.Told, error) {
	var r job.Run
	if err := json.Unmarshal([]byte(getenv(runName)), &r); err != nil {
		return job.Told{}, fmt.Errorf("%s: %w: not called by jobgait run?", runName, err)
	}
	if err := r.Key.Valid(); err != nil {
		return job.Told{}, fmt.Errorf("%s: %w", runName, err)
	}
	if r.RootPID <= 0 {
		return job.Told{}, fmt.Errorf("%s has no command", runName)
	}
	r = cleaned(r)
	r.GPUs = nil // no scheduler has assigned any
	r.StartReal, r.StartMono, r.BootID, r.Exclusive = h.Real, h.Mono, h.BootID, false
	told := job.Told{Run: r, Exit: job.ExitOf(getenv(endedName))}
	_ = json.Unmarshal([]byte(getenv(usedName)), &told.Used) // without it the agent's last look holds
	return told, nil
}

func cleaned(r job.Run) job.Run {
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
	told, err := s.Told(getenv, job.Host{})
	if err != nil {
		return ""
	}
	return told.Run.Key.JobID.String()
}

// Node returns "": the machine's own name is used.
func (Standalone) Node(func(string) string) string { return "" }

// Within is false: a `jobgait run` within another is counted for itself.
func (Standalone) Within(func(string) string) (run.Key, bool) { return run.Key{}, false }

// Nodes is the one machine.
func (Standalone) Nodes(list string) ([]string, error) { return []string{list}, nil }

// StdOut is "": the command has its caller's streams.
func (Standalone) StdOut(job.Run, run.Job) string { return "" }

// Owns walks to the command.
func (Standalone) Owns(l *job.Look, p *job.Entry, r job.Run) bool {
	for q := range l.Above(p.PID) {
		if q.PID == r.RootPID || l.Known(q) {
			return true
		}
	}
	return false
}

// Own is false: `jobgait run` is the command's parent.
func (Standalone) Own(string) bool { return false }

// Describe returns nothing: the hooks' environment is complete.
func (Standalone) Describe(*job.Look, []int, job.Run) job.Details { return job.Details{} }

// Remembers is false, and the others of job.Memory have no answer.
func (Standalone) Remembers() bool { return false }

// Ask has no answer.
func (Standalone) Ask(context.Context, run.JobID) (job.Details, error) {
	return job.Details{}, job.ErrNotAsked
}

// Endings has no answer.
func (Standalone) Endings(context.Context, []job.Question) ([]job.Ending, error) { return nil, nil }

// Account has no answer.
func (Standalone) Account(context.Context, run.JobID, int, float64) (*job.Ending, error) {
	return nil, nil
}

// Fields has none.
func (Standalone) Fields(context.Context) map[string]string { return nil }
