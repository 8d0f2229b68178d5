package history

import (
	"jobgait/analysis/run"
)

// Run is one row of the history: an earlier run as analyses and reports need
// it. nil, "" and a zero time are unknown.
type Run struct {
	Cluster   string
	JobID     run.JobID
	DisplayID string // as sacct spells it: 123 or 123_7
	Restart   int
	User      string
	App       string  // application: the user's label, else executable and job name
	Shape     string  // nodes x tasks x CPUs per task, and the user's size
	Start     float64 // UTC epoch seconds
	End       float64
	ElapsedS  float64
	State     string
	PeriodS   *float64 // of the main pattern
	Coverage  *float64
	ReportDir string

	Sub           int // k of run k inside one batch job, 0 = the job itself
	JobName       string
	Exit          *run.Exit
	NNodes        *int
	NodesReported int
	Iterations    *int // of the main pattern
	Confidence    *float64

	ID        int64  // of the row: RunID of the views
	SeriesID  int64  // 0 = none, the application is not known
	Partition string // "" = not known
	Size      string
	NTasks    *int
	CPUs      *int // of the whole job

	// StepS is the time of the application's reference pattern, the others the
	// run's CPU time and the time in its parts, in seconds, and joules.
	StepS, CPUS, StartupS, CheckpointS, EnergyJ *float64
	// StepCPUS and StepWaitS are CPU time and waiting for CPUs of one cycle of that
	// pattern, BusyCPUs and WaitingCPUs means over the run.
	StepCPUS, StepWaitS, BusyCPUs, WaitingCPUs, PeakMemBytes *float64

	Account string // "" = not known
}

// Query selects runs. Empty fields select everything.
type Query struct {
	Cluster, User, App, Shape string
	Account, Partition, State string
	// JobID is the raw id of a job, or that of an array and then selects
	// its tasks.
	JobID run.JobID
	// Before selects runs that started before this time, UTC epoch seconds: with the start of a run, the earlier
	// runs.
	Before float64
	// Since selects runs that started at this time or later.
	Since float64
	// Failed selects the runs for which EndedNormally returns false.
	Failed bool
	// Limit is the largest number of runs returned; 0 is DefaultLimit.
	Limit int
}

// DefaultLimit is a Query's limit when it names none: what the plots of a
// report show.
const DefaultLimit = 200
