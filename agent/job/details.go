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
	// GPUs says whether other jobs may use the run's GPUs too, if the run has GPUs.
	GPUs Sharing `json:"gpus,omitempty"`
	// TimeLimitS is the time limit in seconds, MemoryBytes the memory of all nodes together.
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
	// Exit is the exit code or signal as the scheduler knows it. State is the run's final state in sacct's words,
	// "" while unknown; Over says whether the run has ended.
	Exit  *run.Exit `json:"exit,omitempty"`
	State string    `json:"state,omitempty"`
	Over  bool      `json:"over,omitempty"`
}

// Or returns d with its zero fields taken from e.
func (d Details) Or(e Details) Details {
	to, from := reflect.ValueOf(&d).Elem(), reflect.ValueOf(e)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
	return d
}

// Complete returns the run's job with its zero fields taken from d, and with the number of OpenMP threads in d among
// its recorded fields. The path of its output is that in d, else the run's pattern as s expands it; the run's own path
// remains if both are empty.
func (d Details) Complete(r Run, s Hooks) run.Job {
	j := r.Job
	setIfZero(&j.Name, d.Name)
	setIfZero(&j.Account, d.Account)
	setIfZero(&j.QOS, d.QOS)
	setIfZero(&j.Partition, d.Partition)
	setIfZero(&j.ArrayJobID, d.ArrayJobID)
	setIfZero(&j.ArrayTaskID, d.ArrayTaskID)
	setIfZero(&j.HetJobID, d.HetJobID)
	setIfZero(&j.HetOffset, d.HetOffset)
	setIfZero(&j.NTasks, d.NTasks)
	setIfZero(&j.CPUsPerTask, d.CPUsPerTask)
	setIfZero(&j.WorkDir, d.WorkDir)
	setIfZero(&j.TimeLimitS, d.TimeLimitS)
	setIfZero(&j.MemoryBytes, d.MemoryBytes)
	setIfZero(&j.SchedulerStart, d.Start)
	setIfZero(&j.Submit, d.Submit)
	setIfZero(&j.Eligible, d.Eligible)
	// The scheduler's answer is more complete than the hook's environment.
	if path := cmp.Or(d.StdOut, s.StdOut(r, j)); path != "" {
		j.StdOut = path
	}
	return j.WithFields(map[string]string{run.FieldThreads: d.Threads})
}

// setIfZero sets *to to from if it has its zero value.
func setIfZero[T comparable](to *T, from T) {
	var zero T
	if *to == zero {
		*to = from
	}
}

// ThreadsVariable is the environment variable from which OpenMP programs and many linear algebra libraries take
// their number of threads.
const ThreadsVariable = "OMP_NUM_THREADS"

// maxThreads is the largest length, in characters, of a list of thread counts, one for each nested level.
const maxThreads = 64

// ParseThreads returns a trimmed value of ThreadsVariable, "" if it is longer than maxThreads or contains other
// characters than digits and commas.
func ParseThreads(value string) string {
	value = strings.TrimSpace(value)
	if len(value) > maxThreads || strings.Trim(value, "0123456789,") != "" {
		return ""
	}
	return value
}
