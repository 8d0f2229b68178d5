package job

import (
	"cmp"
	"reflect"
	"strings"

	"jobgait/analysis/run"
)

// Details is what a scheduler does not pass to the hooks: it comes from the job's own processes or from a query
// of the scheduler. Everything is optional.
type Details struct {
	Name        string `json:"name,omitempty"`
	Account     string `json:"account,omitempty"`
	QOS         string `json:"qos,omitempty"`
	Partition   string `json:"partition,omitempty"`
	ArrayJobID  *int64 `json:"array_job_id,omitempty"`
	ArrayTaskID *int64 `json:"array_task_id,omitempty"`
	HetJobID    *int64 `json:"het_job_id,omitempty"`
	HetOffset   *int64 `json:"het_offset,omitempty"`
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
	// Submit is when the job was submitted, Eligible when nothing but resources kept it from running. Start and End
	// are the scheduler's times; of a run that is not over End is when its limit is. All are epoch seconds. UID is
	// the job's user.
	Submit   *int64 `json:"submit,omitempty"`
	Eligible *int64 `json:"eligible,omitempty"`
	Start    *int64 `json:"start,omitempty"`
	End      *int64 `json:"end,omitempty"`
	UID      *int   `json:"uid,omitempty"`
	// Restarts is how often the scheduler has queued the job again.
	Restarts *int `json:"restarts,omitempty"`
	// Exit has a signal where the hooks get 0. State is the one that the run will have, in sacct's words, "" while
	// it is not sure; Over whether it has it.
	Exit  *run.Exit `json:"exit,omitempty"`
	State string    `json:"state,omitempty"`
	Over  bool      `json:"over,omitempty"`
}

// Or returns d with what it lacks taken from e.
func (d Details) Or(e Details) Details {
	to, from := reflect.ValueOf(&d).Elem(), reflect.ValueOf(e)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return d
}

// Complete returns the run's job with what it lacks taken from d, and the path
// of its output as its scheduler has it.
func (d Details) Complete(r Run, s Hooks) run.Job {
	j := r.Job
	either(&j.Name, d.Name)
	either(&j.Account, d.Account)
	either(&j.QOS, d.QOS)
	either(&j.Partition, d.Partition)
	either(&j.ArrayJobID, d.ArrayJobID)
	either(&j.ArrayTaskID, d.ArrayTaskID)
	either(&j.HetJobID, d.HetJobID)
	either(&j.HetOffset, d.HetOffset)
	either(&j.NTasks, d.NTasks)
	either(&j.CPUsPerTask, d.CPUsPerTask)
	either(&j.WorkDir, d.WorkDir)
	either(&j.TimeLimitS, d.TimeLimitS)
	either(&j.MemoryBytes, d.MemoryBytes)
	either(&j.SchedulerStart, d.Start)
	either(&j.Submit, d.Submit)
	either(&j.Eligible, d.Eligible)
	// The scheduler's answer is more complete than the hook's environment.
	if path := cmp.Or(d.StdOut, s.StdOut(r, j)); path != "" {
		j.StdOut = path
	}
	return j.WithFields(map[string]string{run.FieldThreads: d.Threads})
}

func either[T comparable](to *T, from T) {
	var zero T
	if *to == zero {
		*to = from
	}
}

// ThreadsVariable is what programs with OpenMP, and many libraries of linear algebra, take
// their number of threads from.
const ThreadsVariable = "OMP_NUM_THREADS"

// maxThreads is how long a list of numbers of threads may be, one for each nested level.
const maxThreads = 64

// Threads returns the value of ThreadsVariable, "" if it is no list of numbers.
func Threads(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > maxThreads || strings.Trim(value, "0123456789,") != "" {
		return ""
	}
	return value
}
