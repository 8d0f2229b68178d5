package summary

import (
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/series"
)

// NodeRecord is what one node says of one run: small, sealed, and all that
// leaves the node.
type NodeRecord struct {
	Schema string `json:"schema"`
	Key    RunKey `json:"key"`
	Job    Job    `json:"job"`
	Node   string `json:"node"`
	// Start is when the Prolog ran, End when the Epilog ran, in UTC epoch
	// seconds; ElapsedS is the monotonic time between them.
	Start    float64 `json:"start"`
	End      float64 `json:"end"`
	ElapsedS float64 `json:"elapsed_s"`
	// Exit is how the job ended as this node's Epilog was told; nil if it
	// was not told.
	Exit     *Exit     `json:"exit,omitempty"`
	Quality  Quality   `json:"quality"`
	Counters []Counter `json:"counters"`
	Memory   *Memory   `json:"memory,omitempty"`
	// CPULimit is how many CPUs a cgroup let the job use; nil without a limit.
	CPULimit *float64          `json:"cpu_limit,omitempty"`
	Patterns []pattern.Pattern `json:"patterns"`
	Phases   []phase.Phase     `json:"phases"`
	// Loops are the iterations of the patterns, in the same order; none in
	// records of earlier versions. Macros are cycles of them.
	Loops    []Loop          `json:"loops,omitempty"`
	Macros   []pattern.Macro `json:"macros,omitempty"`
	Timeline Timeline        `json:"timeline"`
	// Minute is a typical minute at full resolution, nil where the timeline shows as
	// much, and in records of earlier versions.
	Minute *Timeline `json:"minute,omitempty"`
	// Code is which code ran, nil where samples of it were not taken or not kept.
	Code  *anatomy.Anatomy `json:"code,omitempty"`
	Notes []note.Note      `json:"notes"`
	// Suspended is when the job was stopped from outside, the first hundred times,
	// and SuspendedS for how long in all. The caller of Analyse says within what
	// bounds, Analyse when.
	Suspended  []Interval `json:"suspended,omitempty"`
	SuspendedS float64    `json:"suspended_s,omitempty"`
	// GPUs are the job's that were read.
	GPUs []GPU `json:"gpus,omitempty"`
	// Silence is that the job had stopped dead before it ended, nil if it had not.
	Silence *Silence `json:"silence,omitempty"`
}

// Exit is a wait status. Slurm gives 0 for cancelled and timed-out jobs too, so
// a zero Code with a zero Signal is not a success.
type Exit struct {
	Code   int `json:"code"`
	Signal int `json:"signal"`
}

// Quality says what the samples are worth.
type Quality struct {
	// Scope is whose activity was sampled: "job", the job's processes;
	// "task", the command and what it started; "proc", as far as files below
	// /proc tell; "none", no agent ran.
	Scope string `json:"scope"`
	CPUs  int    `json:"cpus"`
	// RateHz is the rate of the grid, AddressHz that of code addresses per
	// CPU; 0 where there were none.
	RateHz    float64 `json:"rate_hz"`
	AddressHz float64 `json:"address_hz"`
	// Samples is the number of slots of the grid, Missing those of which more than 1 % may
	// lie in another slot, LostRecords what the kernel said it dropped.
	Samples     int64 `json:"samples"`
	Missing     int64 `json:"missing"`
	LostRecords int64 `json:"lost_records"`
	Blocks      int   `json:"blocks"`
	// Sealed is false when the agent did not end the profile itself.
	Sealed bool `json:"sealed"`
	// AgentCPUS is the CPU time of the agent itself in seconds, OverheadPct
	// that and the interrupts it caused, as a share of the node's CPUs.
	AgentCPUS   float64 `json:"agent_cpu_s"`
	OverheadPct float64 `json:"overhead_pct"`
	// BudgetPct is what the agent was allowed to cost; InterruptNS what one record
	// is taken to have cost the CPU that it interrupted. 0 where it was not said.
	BudgetPct   float64  `json:"budget_pct,omitempty"`
	InterruptNS float64  `json:"interrupt_ns,omitempty"`
	Sources     []Source `json:"sources"`
}

// Source is what became of one counter: whether it was read, as what, and if
// not, why not.
type Source struct {
	Name   string `json:"name"`
	Event  string `json:"event,omitempty"`
	PMU    string `json:"pmu,omitempty"`
	Config string `json:"config,omitempty"` // type and config of a perf event, or the file that is read
	Scope  string `json:"scope,omitempty"`
	// Hz is how often it was read a second; 0 = once in every step of the grid.
	Hz     float64 `json:"hz,omitempty"`
	Absent string  `json:"absent,omitempty"` // reason; "" = it was read
	// Uncertain is which part of what it counted lies in gaps between the records of a
	// CPU: how much is known, but not to the step of the grid. 0 = none, or not known.
	Uncertain float64 `json:"uncertain,omitempty"`
}

// Counter is the total of one cumulative counter over the run.
type Counter struct {
	Name  string  `json:"name"`
	Unit  string  `json:"unit"`
	Scope string  `json:"scope"`
	Total float64 `json:"total"` // while there were samples
	// Before is what the run had counted when its first sample was taken.
	Before float64 `json:"before,omitempty"`
	// Share is the part of the time sampled that it is of; 0 = all of it.
	Share float64 `json:"share,omitempty"`
}

// Part is the part of the time sampled that a total is of.
func (c Counter) Part() float64 {
	if c.Share > 0 && c.Share < 1 {
		return c.Share
	}
	return 1
}

// Timeline is a profile decimated for drawing: at most 960 bins.
type Timeline struct {
	StartS  float64          `json:"start_s"`
	StepS   float64          `json:"step_s"`
	Columns []TimelineColumn `json:"columns"`
}

// TimelineColumn is one series in bins, each with its smallest, mean and
// largest sample.
type TimelineColumn struct {
	Name  string        `json:"name"`
	Unit  string        `json:"unit"`
	Scope string        `json:"scope"`
	Min   series.Values `json:"min"`
	Mean  series.Values `json:"mean"`
	Max   series.Values `json:"max"`
}
