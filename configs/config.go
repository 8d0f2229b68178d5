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

	// Unknown is one line that names the unknown keys of the file, misspelt or of a newer version; "" for none.
	Unknown string `toml:"-"`
}

// Spool has the settings of the node-local directory for runs: it has a directory for each node, and in that
// one for each run.
type Spool struct {
	Dir string `toml:"dir"`
	// MaxGB limits the disk blocks of a node's part, MaxRuns its number of run directories and kept reports.
	MaxGB   float64 `toml:"max_gb"`
	MaxRuns int     `toml:"max_runs"`
	// Keep says of which nodes raw profiles stay after the report: "none", "first" (the node that collects) or
	// "all".
	Keep string `toml:"keep"`
}

// Collect has the settings of the directory that all nodes of a job share, and of the archive.
type Collect struct {
	Dir     string `toml:"dir"`
	Account string `toml:"account"`
	WaitS   int    `toml:"wait_s"`
	// Archive is the directory in which sealed profiles are kept for `jobgait reanalyse`, "" for none. ArchiveDays
	// and ArchiveGB limit their age and size; 0 means unlimited.
	Archive     string  `toml:"archive"`
	ArchiveDays int     `toml:"archive_days"`
	ArchiveGB   float64 `toml:"archive_gb"`
}

// Agent has the settings of the program that samples a run.
type Agent struct {
	RateHz    int `toml:"rate_hz"`
	AddressHz int `toml:"address_hz"`
	MaxHours  int `toml:"max_hours"`
	// BudgetPct is the most that sampling may cost, in percent of each CPU; RunBudgetPct the same under `jobgait
	// run`.
	BudgetPct    float64 `toml:"budget_pct"`
	RunBudgetPct float64 `toml:"run_budget_pct"`
	Lossless     bool    `toml:"lossless"`
	ProfileMB    float64 `toml:"profile_mb"`
	// GPU enables reading the job's GPUs.
	GPU    bool   `toml:"gpu"`
	Launch string `toml:"launch"`
	// Names is how much reports disclose about the code that ran: all, libraries or off.
	Names string `toml:"names"`
	// Stack is how much is read of where a job's tasks are, by `jobgait stack` and at a stall: off, functions or lines.
	Stack string `toml:"stack"`
	// StackAfterS is how long a stall must last, in seconds, before stacks are read on a node of a job of several nodes.
	StackAfterS float64 `toml:"stack_after_s"`
	// LiveDir is the directory below which the state of running jobs is written for their users, "" for none.
	LiveDir string `toml:"live_dir"`
}

// OwnScope reports whether the agent and the Epilog's worker ask systemd for scopes of their own.
func (a Agent) OwnScope() bool { return a.Launch == "auto" }

// Live sets who is notified about a running job, besides its user.
type Live struct {
	// OnStall is a program that is called when a job has stalled, "" for none; it runs with the rights of Account.
	OnStall string `toml:"on_stall"`
	Account string `toml:"account"`
}

// Watch has the settings that select which jobs are watched.
type Watch struct {
	Partitions    []string `toml:"partitions"`
	NotPartitions []string `toml:"not_partitions"`
	NotUsers      []string `toml:"not_users"`
	MinNodes      int      `toml:"min_nodes"`
	Share         float64  `toml:"share"`
	// Root enables watching jobs of root, whose reports are written with root's rights into a directory that
	// another account may own.
	Root bool `toml:"root"`
	// Exclusive overrides, by partition, whether a job has its nodes exclusively.
	Exclusive map[string]bool `toml:"exclusive"`
}

// Epilog has the time limits of the hook and its worker, in seconds.
type Epilog struct {
	DeadlineS float64 `toml:"deadline_s"`
	WaitS     float64 `toml:"wait_s"`
	WorkerS   int     `toml:"worker_s"`
}

// PrologLimit is the time after which the Prolog returns even if something in it blocks for ever.
const PrologLimit = 2 * time.Second

// Deadline returns how long the hook may take.
func (e Epilog) Deadline() time.Duration { return time.Duration(e.DeadlineS * float64(time.Second)) }

// Wait returns how much of the deadline the hook waits for its worker.
func (e Epilog) Wait() time.Duration { return time.Duration(e.WaitS * float64(time.Second)) }

// ReportSettings has the settings of the reports to users.
type ReportSettings struct {
	Formats     []string `toml:"formats"`
	MinElapsedS float64  `toml:"min_elapsed_s"`
	// StdoutLine enables a line at the end of the job's output.
	StdoutLine bool `toml:"stdout_line"`
}

// Findings has the settings of the findings in reports: Silent are the ids of those that are not shown.
type Findings struct {
	Silent []string `toml:"silent"`
}

// HistorySettings has the settings of the history, an SQLite database.
type HistorySettings struct {
	Path   string `toml:"path"`
	Ingest string `toml:"ingest"`
	// Names says how much is stored about the code that ran: "all", "libraries" or "off".
	Names string `toml:"names"`
	// Snapshots is the directory of the users' own histories, "" for none.
	Snapshots string `toml:"snapshots"`
}

// SnapshotOf returns the path at which a user's own history is published, "" if histories are not published.
func (h HistorySettings) SnapshotOf(uid int) string {
	if h.Snapshots == "" {
		return ""
	}
	return filepath.Join(h.Snapshots, strconv.Itoa(uid), "history.db")
}

// Keep has the settings of how many days each kind of row stays in the history, 0 for ever, and the path of its
// copy.
type Keep struct {
	Profiles  int    `toml:"profiles"`
	Nodes     int    `toml:"nodes"`
	Functions int    `toml:"functions"`
	Runs      int    `toml:"runs"`
	Ingest    int    `toml:"ingest"`
	Copy      string `toml:"copy"`
}

// Slurm has the paths of Slurm's commands; "" disables the use of a command.
type Slurm struct {
	Scontrol string `toml:"scontrol"`
	Sacct    string `toml:"sacct"`
	// AdminComment makes the writer of the history write a digest of each run into the accounting, through
	// Sacctmgr.
	AdminComment bool   `toml:"admin_comment"`
	Sacctmgr     string `toml:"sacctmgr"`
}

// Mail has the settings for sending the scheduler's mails about jobs.
type Mail struct {
	// Sendmail is a program that takes a message on its standard input, as sendmail -i -t does.
	Sendmail string `toml:"sendmail"`
	// WaitS is how many seconds a mail waits for the report.
	WaitS float64 `toml:"wait_s"`
}

// Health has the settings for monitoring jobgait itself.
type Health struct {
	// Journal sends the lines of the node's log also to systemd's journal, or to syslog.
	Journal bool `toml:"journal"`
	// Textfile is the directory of the node_exporter's textfile collector, "" for none.
	Textfile string `toml:"textfile"`
	// SiteTextfile is the directory for the site's aggregates, written by the writer of the history; "" for none.
	SiteTextfile string `toml:"site_textfile"`
}

// Version is the version of all programs.
const Version = "0.1.0"
