package job

import (
	"context"

	"jobgait/analysis/run"
)

// Usage is the resources that one job was given and used. nil and "" mean unknown.
type Usage struct {
	JobID run.JobID
	// ArrayID is the job id with its task ("123_7"), "" for a job outside of arrays.
	ArrayID              string
	Cluster, User, Group string
	State                string
	ExitCode             *int
	Nodes, CPUs          int
	ElapsedS             float64
	CPUSeconds           *float64
	MemoryUsage
	// Comment is the administrator's comment of the job.
	Comment string
}

// MemoryUsage is the memory that a job used, and was given.
type MemoryUsage struct {
	// MemoryBytes is the sum of the peaks of all tasks of the step that used most, AllocatedBytes the memory of
	// the whole job's allocation.
	MemoryBytes, AllocatedBytes *float64
	// TaskMaxBytes and TaskMeanBytes are the largest and the mean peak of the tasks of that step.
	TaskMaxBytes, TaskMeanBytes *float64
	// PerCPU says that memory was requested per CPU, not per node.
	PerCPU bool
}

// Accounting is the part of a scheduler that stores what jobs used.
type Accounting interface {
	// Usage returns the usage of the newest job of an id ("123", "123_7"); ErrUnknown if there is no such job,
	// ErrNotQueried if no accounting is configured.
	Usage(ctx context.Context, id string) (Usage, error)
}
