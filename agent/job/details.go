package job

import (
	"cmp"

	"jobgait/analysis/summary"
)

// Details is what a scheduler does not tell the hooks: it comes from the job's own
// processes, or the scheduler is asked. Everything is optional.
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
	// Threads is OMP_NUM_THREADS.
	Threads string `json:"omp_num_threads,omitempty"`
	// GPUs is whether others may have the run's too, of a run that has any.
	GPUs Sharing `json:"gpus,omitempty"`
	// TimeLimitS is seconds, MemoryBytes what all nodes have together.
	TimeLimitS  *float64 `json:"time_limit_s,omitempty"`
	MemoryBytes *float64 `json:"memory_bytes,omitempty"`
	// StdOut is the path of the job's output as far as it is expanded.
	StdOut string `json:"stdout,omitempty"`
	// Start and End are the scheduler's times, epoch seconds; of a run that is not
	// over End is when its limit is. UID is the job's user.
	Start *int64 `json:"start,omitempty"`
	End   *int64 `json:"end,omitempty"`
	UID   *int   `json:"uid,omitempty"`
	// Exit tells a signal where the hooks are told 0. State is the one that the run
	// will have, in sacct's words, "" while it is not sure; Over whether it has it.
	Exit  *summary.Exit `json:"exit,omitempty"`
	State string        `json:"state,omitempty"`
	Over  bool          `json:"over,omitempty"`
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
	either(&d.Threads, e.Threads)
	either(&d.GPUs, e.GPUs)
	either(&d.TimeLimitS, e.TimeLimitS)
	either(&d.MemoryBytes, e.MemoryBytes)
	either(&d.StdOut, e.StdOut)
	either(&d.Start, e.Start)
	either(&d.End, e.End)
	either(&d.UID, e.UID)
	either(&d.Exit, e.Exit)
	either(&d.State, e.State)
	either(&d.Over, e.Over)
	return d
}

// Complete returns the run's job with what it lacks taken from d, and the path
// of its output as its scheduler has it.
func (d Details) Complete(r Run, s Hooks) summary.Job {
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
	either(&j.TimeLimitS, d.TimeLimitS)
	either(&j.MemoryBytes, d.MemoryBytes)
	either(&j.SchedulerStart, d.Start)
	// Who is asked knows more than the hooks were told.
	if path := cmp.Or(d.StdOut, s.StdOut(r, j)); path != "" {
		j.StdOut = path
	}
	return j.WithFields(map[string]string{summary.FieldThreads: d.Threads})
}

func either[T comparable](to *T, from T) {
	var zero T
	if *to == zero {
		*to = from
	}
}
