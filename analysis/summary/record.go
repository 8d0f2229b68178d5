package summary

import (
	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// NodeRecord is the result of one run on one node: small, of bounded size, and all that leaves the node.
type NodeRecord struct {
	Schema string  `json:"schema"`
	Key    run.Key `json:"key"`
	Job    run.Job `json:"job"`
	Node   string  `json:"node"`
	// Start is when the Prolog ran, End when the Epilog ran, in UTC epoch
	// seconds; ElapsedS is the monotonic time between them.
	Start    float64 `json:"start"`
	End      float64 `json:"end"`
	ElapsedS float64 `json:"elapsed_s"`
	// Exit is how the job ended according to this node's Epilog; nil if unknown.
	Exit     *run.Exit     `json:"exit,omitempty"`
	Quality  run.Quality   `json:"quality"`
	Counters []run.Counter `json:"counters"`
	Memory   *Memory       `json:"memory,omitempty"`
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
	// Code is the CPU time by code, nil if code was not sampled or not kept.
	Code  *anatomy.Anatomy `json:"code,omitempty"`
	Notes []note.Note      `json:"notes"`
	// Programs are those of the node with most sampled CPU time.
	Programs []run.Program `json:"programs,omitempty"`
	// Course lists the successive parts of a run in which no pattern was found: one part if the run looks alike
	// throughout, none if that is unknown.
	Course []Stretch `json:"course,omitempty"`
	// Sleeps says why its processes slept, the longest first; empty where that is unknown. ThreadWork says how
	// the CPU time divides among threads, nil if that is unknown. NodeMemoryBytes is the memory of the node, nil if that
	// is unknown.
	Sleeps          []run.Sleep     `json:"sleeps,omitempty"`
	ThreadWork      *run.ThreadWork `json:"thread_work,omitempty"`
	NodeMemoryBytes *float64        `json:"node_memory_bytes,omitempty"`
	// MostActiveS is the most time, in seconds, that any one thread ran or waited for a CPU; 0 if it is unknown.
	MostActiveS float64 `json:"most_active_s,omitempty"`
	// Suspended lists when the job was stopped from outside, the first hundred times; SuspendedS is the total in
	// seconds. The caller of Analyse sets approximate bounds, Analyse the exact times.
	Suspended  []run.Interval `json:"suspended,omitempty"`
	SuspendedS float64        `json:"suspended_s,omitempty"`
	// GPUs lists the job's GPUs that were read.
	GPUs []GPU `json:"gpus,omitempty"`
	// Silence describes that the job did nothing any more before it ended, nil if it did not hang.
	Silence *Silence `json:"silence,omitempty"`
	// Time divides the elapsed time, nil where that is unknown and in records of earlier versions.
	Time *TimeDivision `json:"time,omitempty"`
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
