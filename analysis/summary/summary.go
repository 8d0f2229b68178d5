// Package summary joins what the nodes of one run say. Samples come in and make a
// node's record (Analyse); records come in and make one Summary (Merge), with the
// nodes that are missing named.
//
//   - loop.go: of every pattern what is inside and around it, and its shape in a
//     column that separates work from waiting (IPC, else busy CPUs): low stretches of
//     a code page would say nothing of work, and pages differ between nodes.
//   - drift.go: how the iterations of the main loop changed. Patterns that look
//     alike and differ in length only are judged together, and a break behind an
//     iteration that something disturbed is part of it.
//   - agreement.go: the nodes of a run held against each other (Phase-TA IV-B).
//   - bound.go: records do not grow with the number of iterations.
//
// It refuses to call a run periodic when its nodes do not agree, to fill in what
// a missing node did, to say whether a node's iterations or its clock are late,
// and to call one of two nodes the odd one.
//
// Measured on one shared core: 45 minutes in seven columns take 0.79 s, of which
// loops and drift are 0.030 s; to merge 10,000 nodes takes 1.3 s
// of CPU time on a machine with a load of 32 (5.9 s before distances were in integers).
package summary

import (
	"fmt"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
	"jobgait/analysis/run"
)

// Summary is the merged result of the nodes of one run. The history stores it, and reports are made from it.
type Summary struct {
	Schema   string    `json:"schema"`
	Key      run.Key   `json:"key"`
	Job      run.Job   `json:"job"`
	Start    float64   `json:"start"`     // UTC epoch seconds, earliest Prolog
	End      float64   `json:"end"`       // UTC epoch seconds, latest Epilog
	ElapsedS float64   `json:"elapsed_s"` // longest of the nodes
	Exit     *run.Exit `json:"exit,omitempty"`
	// State is the scheduler's final word (COMPLETED, CANCELLED, ...), ""
	// while it is not known; the hooks never know it.
	State string `json:"state,omitempty"`
	// SuspendedS is for how long, in seconds, the job was stopped from outside, the longest of the nodes;
	// Suspended lists the times on LeadNode.
	SuspendedS float64        `json:"suspended_s,omitempty"`
	Suspended  []run.Interval `json:"suspended,omitempty"`
	// Silence describes that all of its nodes did nothing any more before it ended; nil if it did not hang.
	Silence *Silence `json:"silence,omitempty"`
	// Nodes has every node of the job in the order of the node list.
	Nodes []Node `json:"nodes"`
	// Lanes shows how busy nodes were over the run; empty for one node.
	Lanes []NodeLane `json:"lanes,omitempty"`
	// Patterns are the run's: those that most nodes share, best first.
	Patterns []pattern.Pattern `json:"patterns"`
	Phases   []phase.Phase     `json:"phases"`
	// Loops are the iterations of the patterns, in the same order; none in
	// summaries of earlier versions. Macros are cycles of them.
	Loops  []Loop          `json:"loops,omitempty"`
	Macros []pattern.Macro `json:"macros,omitempty"`
	// Agreement compares the nodes' iterations, nil for fewer than two that can be compared.
	Agreement *Agreement `json:"agreement,omitempty"`
	// StepS is the time of the application's reference pattern in seconds, nil
	// where this run has no pattern that is that one. Unlike the main
	// pattern's period it can be compared with other runs'.
	StepS    *float64      `json:"step_s"`
	Counters []run.Counter `json:"counters"` // summed over nodes
	// Memory is summed over nodes, nil where it was not measured on all.
	Memory *Memory `json:"memory,omitempty"`
	// Programs are those of LeadNode with most sampled CPU time.
	Programs []run.Program `json:"programs,omitempty"`
	// Course lists the successive parts of a run in which no pattern was found: one part if the run looks alike
	// throughout, none if that is unknown.
	Course []Stretch `json:"course,omitempty"`
	// Sleeps says why processes of all nodes slept, the longest first; empty where that is unknown. ThreadWork says
	// how the CPU time divides among threads on LeadNode, nil if that is unknown. NodeMemoryBytes is the memory of
	// LeadNode, nil if that is unknown.
	Sleeps          []run.Sleep     `json:"sleeps,omitempty"`
	ThreadWork      *run.ThreadWork `json:"thread_work,omitempty"`
	NodeMemoryBytes *float64        `json:"node_memory_bytes,omitempty"`
	// Time divides the elapsed time, nil where that is unknown for a node and in summaries of earlier versions.
	Time *TimeDivision `json:"time,omitempty"`
	// GPUs are those of all nodes that were read.
	GPUs []GPU `json:"gpus,omitempty"`
	// CPULimit is the number of CPUs that cgroups let the run use on all nodes, nil unless each had a limit.
	CPULimit *float64 `json:"cpu_limit,omitempty"`
	// Timeline is that of LeadNode, the node nearest to the median.
	LeadNode string   `json:"lead_node,omitempty"`
	Timeline Timeline `json:"timeline"`
	// Minute is a typical minute of LeadNode at full resolution, nil where the
	// timeline shows as much.
	Minute *Timeline `json:"minute,omitempty"`
	// Code is the CPU time by code on CodeNode: LeadNode, or a node on which functions have names.
	Code     *anatomy.Anatomy `json:"code,omitempty"`
	CodeNode string           `json:"code_node,omitempty"`
	// ImbalancePct is (max - mean) / mean of the nodes' busy CPU time in
	// percent; nil for fewer than two nodes that ran.
	ImbalancePct *float64    `json:"imbalance_pct"`
	Quality      run.Quality `json:"quality"` // summed over nodes
	Notes        []note.Note `json:"notes"`
}

// Node is one node of a run.
type Node struct {
	Name string `json:"name"`
	// Reported is false for a node whose record is missing.
	Reported bool `json:"reported"`
	// BusyCPUs is the mean number of CPUs that the job kept busy; nil when
	// it could not be seen.
	BusyCPUs *float64 `json:"busy_cpus"`
	PeriodS  *float64 `json:"period_s"`
	Coverage *float64 `json:"coverage"`
	Samples  int64    `json:"samples"`
	Missing  int64    `json:"missing"`
	Sealed   bool     `json:"sealed"`
	// DistancePct is the distance of the node's iteration from the median of the nodes', in percent.
	DistancePct *float64 `json:"distance_pct,omitempty"`
}

// Loop returns the loop of the pattern with this id; false if the summary has no such loop.
func (s Summary) Loop(pattern string) (Loop, bool) {
	for _, l := range s.Loops {
		if l.Pattern == pattern {
			return l, true
		}
	}
	return Loop{}, false
}

// Period returns the period of the main pattern in seconds; false without a pattern.
func (s Summary) Period() (float64, bool) {
	if len(s.Patterns) == 0 {
		return 0, false
	}
	return s.Patterns[0].PeriodS, true
}

// DisplayID returns the job id as sacct spells it: 123, 123_7 for task 7 of array 123, or
// 123+1 for the second component of the heterogeneous job 123.
func (s Summary) DisplayID() string {
	if a, t := s.Job.ArrayJobID, s.Job.ArrayTaskID; a != nil && t != nil {
		return fmt.Sprintf("%d_%d", *a, *t)
	}
	if h, o := s.Job.HetJobID, s.Job.HetOffset; h != nil && o != nil {
		return fmt.Sprintf("%d+%d", *h, *o)
	}
	return s.Key.JobID.String()
}
