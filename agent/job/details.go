package job

import (
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
)

// Details is what Slurm does not tell the hooks: it comes from the job's own
// processes or from scontrol. Everything is optional.
type Details struct {
	Name        string `json:"name,omitempty"`
	Account     string `json:"account,omitempty"`
	QOS         string `json:"qos,omitempty"`
	Partition   string `json:"partition,omitempty"`
	ArrayJobID  *int64 `json:"array_job_id,omitempty"`
	ArrayTaskID *int64 `json:"array_task_id,omitempty"`
	NTasks      *int   `json:"ntasks,omitempty"`
	CPUsPerTask *int   `json:"cpus_per_task,omitempty"`
	WorkDir     string `json:"work_dir,omitempty"`
	// StdOut is the path of the job's output as far as it is expanded.
	StdOut string `json:"stdout,omitempty"`
	// Start and End are the scheduler's times, epoch seconds; of a run that is not
	// over End is when its limit is. UID is the job's user.
	Start *int64 `json:"start,omitempty"`
	End   *int64 `json:"end,omitempty"`
	UID   *int   `json:"uid,omitempty"`
	// Exit, State and Reason are scontrol's. In an Epilog State is always
	// COMPLETING (Final says more); Exit tells a signal where the hooks are told 0.
	Exit   *summary.Exit `json:"exit,omitempty"`
	State  string        `json:"state,omitempty"`
	Reason string        `json:"reason,omitempty"`
}

// Or returns d with what it lacks taken from e.
func (d Details) Or(e Details) Details {
	either(&d.Name, e.Name)
	either(&d.Account, e.Account)
	either(&d.QOS, e.QOS)
	either(&d.Partition, e.Partition)
	either(&d.ArrayJobID, e.ArrayJobID)
	either(&d.ArrayTaskID, e.ArrayTaskID)
	either(&d.NTasks, e.NTasks)
	either(&d.CPUsPerTask, e.CPUsPerTask)
	either(&d.WorkDir, e.WorkDir)
	either(&d.StdOut, e.StdOut)
	either(&d.Start, e.Start)
	either(&d.End, e.End)
	either(&d.UID, e.UID)
	either(&d.Exit, e.Exit)
	either(&d.State, e.State)
	either(&d.Reason, e.Reason)
	return d
}

// Complete returns the run's job with what it lacks taken from d, and the path
// of its output expanded again.
func (d Details) Complete(r Run) summary.Job {
	j := r.Job
	either(&j.Name, d.Name)
	either(&j.Account, d.Account)
	either(&j.QOS, d.QOS)
	either(&j.Partition, d.Partition)
	either(&j.ArrayJobID, d.ArrayJobID)
	either(&j.ArrayTaskID, d.ArrayTaskID)
	either(&j.NTasks, d.NTasks)
	either(&j.CPUsPerTask, d.CPUsPerTask)
	either(&j.WorkDir, d.WorkDir)
	either(&j.SchedulerStart, d.Start)
	if s := ExpandStdOut(r.StdOutPattern, r.Key.JobID, j); s != "" {
		j.StdOut = s
	}
	if d.StdOut != "" { // scontrol expands more, %A of single jobs too
		j.StdOut = d.StdOut
	}
	return j
}

func either[T comparable](to *T, from T) {
	var zero T
	if *to == zero {
		*to = from
	}
}

// FromProcesses reads SLURM_ variables of the job's own processes. The batch
// script's are preferred: a step has its own name and number of tasks. They are
// the user's to change, so they describe the run and decide nothing.
func FromProcesses(m *Members) Details { return m.FromPIDs(m.List()) }

// FromPIDs does the same for processes that are known to be the job's.
func (m *Members) FromPIDs(pids []int) Details {
	var batch, step Details
	r, l := m.run, newLook(m.proc, m.peek)
	id := r.Key.JobID.String()
	for _, pid := range pids {
		env := l.environ(pid)
		if env["SLURM_JOB_ID"] != id {
			continue
		}
		d := fromEnviron(env)
		if env["SLURM_STEP_ID"] == "" && env["SLURM_STEPID"] == "" {
			batch = batch.Or(d)
		} else {
			step = step.Or(d)
		}
	}
	if nodes, err := ExpandNodeList(r.Job.NodeList); err == nil && len(nodes) > 1 && nodes[0] != r.Node {
		// The batch script is on the first node: what that node finds is
		// the job's name and size, what a step here is called is not.
		step.Name, step.NTasks = "", nil
	}
	return batch.Or(step)
}

func fromEnviron(env map[string]string) Details {
	d := Details{
		Name:        note.Clean(env["SLURM_JOB_NAME"], maxText),
		Account:     note.Clean(env["SLURM_JOB_ACCOUNT"], maxText),
		QOS:         note.Clean(env["SLURM_JOB_QOS"], maxText),
		Partition:   note.Clean(env["SLURM_JOB_PARTITION"], maxText),
		ArrayJobID:  bigCount(env["SLURM_ARRAY_JOB_ID"]),
		ArrayTaskID: bigCount(env["SLURM_ARRAY_TASK_ID"]),
		NTasks:      positive(env["SLURM_NTASKS"]),
		CPUsPerTask: positive(env["SLURM_CPUS_PER_TASK"]),
		WorkDir:     cleanPath(env["SLURM_SUBMIT_DIR"]),
	}
	either(&d.NTasks, positive(env["SLURM_NPROCS"]))
	return d
}

func positive(s string) *int {
	n, ok := count(s)
	if !ok || n == 0 {
		return nil
	}
	return &n
}
