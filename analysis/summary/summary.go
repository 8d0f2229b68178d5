// Package summary joins what the nodes of one run say. Node records come in,
// each made from one node's profile; one Summary goes out, with the nodes that
// are missing named. It defines the run key. It refuses to call a run periodic
// when its nodes do not agree, and to fill in what a missing node did.
package summary

import (
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/phase"
)

// Schema is the schema of a stored summary (the job record).
const Schema = "jobgait.summary/0"

// Summary is what one run's profiles say, nodes merged. It is what the history
// stores and what a report is made from.
type Summary struct {
	Schema   string  `json:"schema"`
	Key      RunKey  `json:"key"`
	Job      Job     `json:"job"`
	Start    float64 `json:"start"`     // UTC epoch seconds, earliest Prolog
	End      float64 `json:"end"`       // UTC epoch seconds, latest Epilog
	ElapsedS float64 `json:"elapsed_s"` // longest of the nodes
	Exit     *Exit   `json:"exit,omitempty"`
	// State is the scheduler's final word (COMPLETED, CANCELLED, ...), ""
	// while it is not known; the hooks never know it.
	State string `json:"state,omitempty"`
	// Nodes has every node of the job in the order of the node list.
	Nodes []Node `json:"nodes"`
	// Patterns are the run's: those that most nodes share, best first.
	Patterns []pattern.Pattern `json:"patterns"`
	Phases   []phase.Phase     `json:"phases"`
	// StepS is the time of the application's reference pattern in seconds, nil
	// where this run has no pattern that is that one. Unlike the main
	// pattern's period it can be compared with other runs'.
	StepS *float64 `json:"step_s"`
	Counters []Counter         `json:"counters"` // summed over nodes
	// Timeline is that of LeadNode, the node nearest to the median.
	LeadNode string   `json:"lead_node,omitempty"`
	Timeline Timeline `json:"timeline"`
	// ImbalancePct is (max - mean) / mean of the nodes' busy CPU time in
	// percent; nil for fewer than two nodes that ran.
	ImbalancePct *float64    `json:"imbalance_pct"`
	Quality      Quality     `json:"quality"` // summed over nodes
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
}

// Period returns the period of the main pattern in seconds.
func (s Summary) Period() (float64, bool) {
	if len(s.Patterns) == 0 {
		return 0, false
	}
	return s.Patterns[0].PeriodS, true
}
