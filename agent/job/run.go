package job

import "jobgait/analysis/summary"

// Run is what the Prolog knows of a run, stored as env.json in the node's run
// directory. Agent and Epilog read it back and recompute nothing.
type Run struct {
	Key  summary.RunKey `json:"key"`
	Job  summary.Job    `json:"job"`
	Node string         `json:"node"`
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
	// under Slurm.
	RootPID int `json:"root_pid,omitempty"`
	// ReportDir is where the user asked for the report (-o), else "".
	ReportDir string `json:"report_dir,omitempty"`
	// StdOutPattern is the job's output as Slurm gives it, made absolute
	// and not expanded; "" if Slurm does not tell.
	StdOutPattern string `json:"stdout_pattern,omitempty"`
	// AddressHz overrides the configured rate; 0 does not.
	AddressHz int `json:"address_hz,omitempty"`
}
