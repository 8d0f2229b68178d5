package job

import (
	"jobgait/analysis/run"
)

// Run is what the Prolog knows of a run, stored as env.json in the node's run
// directory. Agent and Epilog read it back and recompute nothing.
type Run struct {
	Key  run.Key `json:"key"`
	Job  run.Job `json:"job"`
	Node string  `json:"node"`
	// Exclusive is whether the job has the node alone, so that what the
	// node does is what the job does.
	Exclusive bool `json:"exclusive"`
	// StartReal is UTC epoch seconds and StartMono CLOCK_MONOTONIC
	// seconds, taken together when the Prolog ran.
	StartReal float64 `json:"start_real"`
	StartMono float64 `json:"start_mono"`
	// BootID tells whether StartMono still means anything.
	BootID string `json:"boot_id"`
	// RootPID is the command of `jobgait run`, stopped before its exec; 0
	// under a scheduler of a cluster.
	RootPID int `json:"root_pid,omitempty"`
	// ReportDir is where the user asked for the report (-o), else "".
	ReportDir string `json:"report_dir,omitempty"`
	// StdOutPattern is the job's output as the scheduler gives it, made absolute
	// and not expanded; "" if it does not tell.
	StdOutPattern string `json:"stdout_pattern,omitempty"`
	// AddressHz overrides the configured rate; 0 does not.
	AddressHz int `json:"address_hz,omitempty"`
	// GPUs are those of this node that the scheduler says are the run's; nil if it
	// names none.
	GPUs *GPUs `json:"gpus,omitempty"`
	// Names is what the user wants told of his code, "" what the settings say.
	Names run.DisclosureLevel `json:"names,omitempty"`
}

// IsFirst reports whether the run's node is the first of the job's nodes, which are in the
// scheduler's order: the node on which a batch script runs, the one that merges the records
// and writes the report.
func (r Run) IsFirst(nodes []string) bool { return len(nodes) > 0 && nodes[0] == r.Node }

// Alone is r with the settings' word, by partition, on whether jobs have their nodes
// alone.
func (r Run) Alone(by map[string]bool) Run {
	if alone, ok := by[r.Job.Partition]; ok {
		r.Exclusive = alone
	}
	return r
}

// GPUs is which of a node's GPUs a scheduler has given to a run. They are known by the
// makers' own names where the scheduler knows these, else by the numbers of their
// device files; the order in which a library counts them is neither.
type GPUs struct {
	UUIDs   []string `json:"uuids,omitempty"`   // "GPU-..." or "MIG-..."
	Numbers []int    `json:"numbers,omitempty"` // N of /dev/nvidiaN
	// Parted is in which way they are given out in parts, "" if whole: what such a
	// GPU does is not the run's alone.
	Parted string `json:"parted,omitempty"`
}

// MaxGPUs bounds what is believed of a list of them: no node has more.
const MaxGPUs = 64

// Sharing says whether others may have a run's GPUs too.
type Sharing string

// The values of Sharing; "" is not known.
const (
	WholeGPUs Sharing = "whole"
	GPUShares Sharing = "shares"
)
