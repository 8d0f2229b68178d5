// Package note contains the codes of all notes: what jobgait could not state, or
// states with a warning. A note is for the reader of a report and is never an error: the
// analysis that returns one has succeeded and names what it could not find out.
//
// Codes are stable: other tools may test for them. Texts may change. All codes
// are in this package.
package note

import "fmt"

// Code names one kind of note, for programs.
type Code string

// Note is one fact that a result does not state, or states with a warning.
type Note struct {
	Code Code   `json:"code"`
	Text string `json:"text"`
	// Node is the node that the note is about, "" when it is about the run.
	Node string `json:"node,omitempty"`
}

// New returns a note whose text is formatted as by fmt.Sprintf.
func New(code Code, format string, args ...any) Note {
	return Note{Code: code, Text: fmt.Sprintf(format, args...)}
}

// Notes on the run or on its sampling.
const (
	NoAgent       Code = "no_agent"        // no agent ran on a node: no Prolog, or it could not start
	AgentDied     Code = "agent_died"      // the profile was salvaged and does not reach the end of the run
	AgentLate     Code = "agent_late"      // sampling began noticeably after the job
	ProfileBad    Code = "profile_damaged" // part of a profile could not be read
	NoProfile     Code = "no_profile"      // an agent ran, but there is no readable profile
	SpoolFull     Code = "spool_full"      // the spool was full: samples were not written
	SpoolFailed   Code = "spool_failed"    // the node's record could not be written to its spool
	CollectFailed Code = "collect_failed"  // the collection directory failed: records of other nodes are missing
	Requeued      Code = "requeued"        // the run was stopped and the job queued again
	MissingNodes  Code = "missing_nodes"   // the report lacks nodes of the job
	NoReportDir   Code = "no_report_dir"   // the report could not be written beside the job's output
	LostSamples   Code = "lost_samples"    // the kernel dropped or skipped records
	HistoryFailed Code = "history_failed"  // the history could not be read or written

	// another host has the history: this is normal, but earlier runs are not listed
	HistoryElsewhere Code = "history_elsewhere"
	NoScheduler      Code = "scheduler_silent" // the scheduler did not report how the run ended
	ClockSkew        Code = "clock_skew"       // the clocks of the node and of the scheduler differ
	DeclaredByJob    Code = "declared_by_job"  // name, partition, QOS, array, tasks: declared by the job's processes only
)

// Notes on what could not be counted.
const (
	NoPerf        Code = "no_perf"             // perf_event_open is forbidden here
	UserOnly      Code = "user_only"           // kernel code and events are not visible
	NoPMU         Code = "no_pmu"              // no hardware counters: no IPC
	NodeWithheld  Code = "node_scope_withheld" // node-wide counters of a shared node were left out
	NoAddresses   Code = "no_addresses"        // code addresses could not be sampled
	SlowProc      Code = "proc_only"           // only /proc was read, at a low rate
	Multiplexed   Code = "multiplexed"         // counters shared the PMU; values are scaled
	BudgetLowered Code = "budget_lowered"      // a rate was lowered to keep within the budget
)

// Why no period is named.
const (
	Idle           Code = "idle"                   // the job used almost no CPU time where it could be observed
	TooShort       Code = "too_short"              // too few samples for any period
	NoVariance     Code = "no_variance"            // the series is flat
	NoValley       Code = "no_valley"              // no shift makes the series similar to itself
	NotTracked     Code = "not_tracked"            // a candidate could not be followed from instance to instance
	NotSignificant Code = "not_significant"        // a candidate is no better than chance
	LowCoverage    Code = "low_coverage"           // the pattern covers less than 5 % of the profile
	UnequalCycles  Code = "unequal_cycles"         // what repeats has no fixed length
	FewInstances   Code = "few_instances"          // fewer than the paper's 100 instances
	FewSamples     Code = "few_samples_per_period" // so few samples in one period that it may be several periods
	NodesDisagree  Code = "nodes_disagree"         // nodes show different periods
	UnsurePeriod   Code = "unsure_period"          // a period was found, but its confidence is too low
	OnlyClocks     Code = "only_clocks"            // the only periods are those of timers
)
