// Package configs holds the settings of every program: typed, with defaults
// from the shipped jobgait.toml, which is embedded. A file comes in, a Config
// goes out, and beside it the keys that it does not know: while a cluster is
// upgraded nodes of the older version read the settings of the newer one, so
// programs log such a key and go on. It refuses values out of range, naming file
// and key: a program that went on without them would not do what the file says.
package configs

import (
	"path/filepath"
	"strconv"
	"time"
)

// Config is jobgait.toml. Every field has its default and its explanation in
// that file.
type Config struct {
	Spool    Spool           `toml:"spool"`
	Collect  Collect         `toml:"collect"`
	Agent    Agent           `toml:"agent"`
	Live     Live            `toml:"live"`
	Watch    Watch           `toml:"watch"`
	Epilog   Epilog          `toml:"epilog"`
	Report   ReportSettings  `toml:"report"`
	Findings Findings        `toml:"findings"`
	History  HistorySettings `toml:"history"`
	Keep     Keep            `toml:"keep"`
	Slurm    Slurm           `toml:"slurm"`
	Health   Health          `toml:"health"`
	Mail     Mail            `toml:"mail"`

	// Unknown says in one line which keys of the file are not known here, ""
	// for none: misspelt, or of a newer version.
	Unknown string `toml:"-"`
}

// Spool is the node-local directory: one directory a node, in it one a run.
type Spool struct {
	Dir string `toml:"dir"`
	// MaxGB and MaxRuns bound the disk blocks and the number of run directories and kept reports of a node.
	MaxGB   float64 `toml:"max_gb"`
	MaxRuns int     `toml:"max_runs"`
	// Keep is whether raw profiles stay after the report: "none", "first"
	// (the node that collects) or "all".
	Keep string `toml:"keep"`
}

// Collect is the directory that all nodes of a job share.
type Collect struct {
	Dir     string `toml:"dir"`
	Account string `toml:"account"`
	WaitS   int    `toml:"wait_s"`
	// Archive is where sealed profiles are kept for `jobgait reanalyse`, "" nowhere;
	// for how many days and in how many GB, 0 for no bound.
	Archive     string  `toml:"archive"`
	ArchiveDays int     `toml:"archive_days"`
	ArchiveGB   float64 `toml:"archive_gb"`
}

// Agent is the sampler.
type Agent struct {
	RateHz    int `toml:"rate_hz"`
	AddressHz int `toml:"address_hz"`
	MaxHours  int `toml:"max_hours"`
	// BudgetPct is what it may cost, in percent of each CPU; RunBudgetPct
	// the same under `jobgait run`.
	BudgetPct    float64 `toml:"budget_pct"`
	RunBudgetPct float64 `toml:"run_budget_pct"`
	Lossless     bool    `toml:"lossless"`
	ProfileMB    float64 `toml:"profile_mb"`
	// GPU is whether the job's GPUs are read.
	GPU    bool   `toml:"gpu"`
	Launch string `toml:"launch"`
	// Names is how much reports disclose about the code that ran: all, libraries or off.
	Names string `toml:"names"`
	// Stack is how much is read of where a job's tasks are, by `jobgait stack` and at a stall: off, functions or lines.
	Stack string `toml:"stack"`
	// LiveDir is the directory below which the state of running jobs is written for their users, "" for none.
	LiveDir string `toml:"live_dir"`
}

// OwnScope is whether the agent, and the Epilog's worker, ask systemd for a scope of
// their own.
func (a Agent) OwnScope() bool { return a.Launch == "auto" }

// Live sets who is notified about a running job, besides its user.
type Live struct {
	// OnStall is a program that is called when a job has stalled, "" for none; it runs with the rights of Account.
	OnStall string `toml:"on_stall"`
	Account string `toml:"account"`
}

// Watch is which jobs are watched.
type Watch struct {
	Partitions    []string `toml:"partitions"`
	NotPartitions []string `toml:"not_partitions"`
	NotUsers      []string `toml:"not_users"`
	MinNodes      int      `toml:"min_nodes"`
	Share         float64  `toml:"share"`
	// Root is whether jobs of root are watched: their reports are written with
	// root's rights into a directory that somebody else may own.
	Root bool `toml:"root"`
	// Exclusive overrides, by partition, whether a job has its nodes alone.
	Exclusive map[string]bool `toml:"exclusive"`
}

// Epilog bounds the hook and its worker.
type Epilog struct {
	DeadlineS float64 `toml:"deadline_s"`
	WaitS     float64 `toml:"wait_s"`
	WorkerS   int     `toml:"worker_s"`
}

// Deadline returns how long the hook may take.
func (e Epilog) Deadline() time.Duration { return time.Duration(e.DeadlineS * float64(time.Second)) }

// Wait returns how much of that it waits for its worker.
func (e Epilog) Wait() time.Duration { return time.Duration(e.WaitS * float64(time.Second)) }

// ReportSettings is what is written for the user.
type ReportSettings struct {
	Formats     []string `toml:"formats"`
	MinElapsedS float64  `toml:"min_elapsed_s"`
	// StdoutLine is whether the job's output gets a line at its end.
	StdoutLine bool `toml:"stdout_line"`
}

// Findings is what reports find.
type Findings struct {
	Silent []string `toml:"silent"`
}

// HistorySettings is the SQLite database.
type HistorySettings struct {
	Path   string `toml:"path"`
	Ingest string `toml:"ingest"`
	// Names is how much of which code ran is stored: "all", "libraries" or "off".
	Names string `toml:"names"`
	// Snapshots is the directory of the users' own histories, "" none.
	Snapshots string `toml:"snapshots"`
}

// SnapshotOf is where a user's own history is published, "" nowhere.
func (h HistorySettings) SnapshotOf(uid int) string {
	if h.Snapshots == "" {
		return ""
	}
	return filepath.Join(h.Snapshots, strconv.Itoa(uid), "history.db")
}

// Keep is for how many days what stays in the database, 0 for ever, and where its copy
// goes.
type Keep struct {
	Profiles  int    `toml:"profiles"`
	Nodes     int    `toml:"nodes"`
	Functions int    `toml:"functions"`
	Runs      int    `toml:"runs"`
	Ingest    int    `toml:"ingest"`
	Copy      string `toml:"copy"`
}

// Slurm is where its commands are; "" switches their use off.
type Slurm struct {
	Scontrol string `toml:"scontrol"`
	Sacct    string `toml:"sacct"`
	// AdminComment makes the writer of the history write a digest of each run into the accounting, through
	// Sacctmgr.
	AdminComment bool   `toml:"admin_comment"`
	Sacctmgr     string `toml:"sacctmgr"`
}

// Mail is how the scheduler's mails of jobs are sent.
type Mail struct {
	// Sendmail takes a message on its standard input, as sendmail -i does.
	Sendmail string `toml:"sendmail"`
	// WaitS is for how long a mail waits for the report.
	WaitS float64 `toml:"wait_s"`
}

// Health is where jobgait tells of itself.
type Health struct {
	// Journal is whether lines of the node's log go to systemd's journal, or
	// syslog, too.
	Journal bool `toml:"journal"`
	// Textfile is the directory of the node_exporter's textfile collector, "" none.
	Textfile string `toml:"textfile"`
	// SiteTextfile is the directory for the site's aggregates, written by the writer of the history; "" for none.
	SiteTextfile string `toml:"site_textfile"`
}

// Version is the version of all programs.
const Version = "0.1.0"
