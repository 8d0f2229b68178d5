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
	// Exclusive says whether the job has the node exclusively, so that counters of the node are those of the job.
	Exclusive bool `json:"exclusive"`
	// StartReal is UTC epoch seconds and StartMono CLOCK_MONOTONIC
	// seconds, taken together when the Prolog ran.
	StartReal float64 `json:"start_real"`
	StartMono float64 `json:"start_mono"`
	// BootID is the boot in which StartMono is valid.
	BootID string `json:"boot_id"`
	// RootPID is the command of `jobgait run`, stopped before its exec; 0
	// under a scheduler of a cluster.
	RootPID int `json:"root_pid,omitempty"`
	// ReportDir is the directory that the user requested for the report (-o), else "".
	ReportDir string `json:"report_dir,omitempty"`
	// StdOutPattern is the path of the job's output as the scheduler gives it, absolute and not expanded; "" if
	// unknown.
	StdOutPattern string `json:"stdout_pattern,omitempty"`
	// AddressHz overrides the configured rate of code addresses; 0 keeps it.
	AddressHz int `json:"address_hz,omitempty"`
	// GPUs are the GPUs of this node that the scheduler assigned to the run; nil without any.
	GPUs *GPUs `json:"gpus,omitempty"`
	// Names is how much the user permits reports to disclose about code; "" leaves it to the settings.
	Names run.DisclosureLevel `json:"names,omitempty"`
}

// IsFirst reports whether the run's node is the first of the job's nodes, which are in the
// scheduler's order: the node on which a batch script runs, the one that merges the records
// and writes the report.
func (r Run) IsFirst(nodes []string) bool { return len(nodes) > 0 && nodes[0] == r.Node }

// WithExclusive returns r with Exclusive overridden by the settings for its partition, if they have an entry.
func (r Run) WithExclusive(by map[string]bool) Run {
	if alone, ok := by[r.Job.Partition]; ok {
		r.Exclusive = alone
	}
	return r
}

// GPUs identifies the GPUs of a node that a scheduler has assigned to a run: by the maker's UUIDs if the
// scheduler knows them, else by the numbers of their device files. The order in which a library lists GPUs may
// differ from both.
type GPUs struct {
	UUIDs   []string `json:"uuids,omitempty"`   // "GPU-..." or "MIG-..."
	Numbers []int    `json:"numbers,omitempty"` // N of /dev/nvidiaN
	// Parted names how the scheduler divides the GPUs among jobs, "" if they are assigned as a whole. The activity
	// of a divided GPU is not that of the run alone.
	Parted string `json:"parted,omitempty"`
}

// MaxGPUs limits the length of a list of GPUs: no node has more.
const MaxGPUs = 64

// Sharing says whether other jobs may use a run's GPUs too.
type Sharing string

// The values of Sharing; "" means unknown.
const (
	WholeGPUs Sharing = "whole"
	GPUShares Sharing = "shares"
)
