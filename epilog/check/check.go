// Package check finds what would prevent a node's jobs from being watched or their reports from reaching their
// users, and the command that mends it. It checks the settings, the programs and their versions, what the
// kernel permits to count, the cgroups of jobs, slurm.conf of the controller and of the node, the SPANK plugin,
// the spool, the collection directory, clocks, the history, what earlier jobs left unfinished and the timers.
// The settings and the paths of the machine come in, a list of findings goes out. `jobgait doctor` prints it.
//
// Where it can it tries what the hooks will do instead of looking at modes: it creates and removes a file in
// the collection directory with the rights of its account, since many shared file systems map root to an
// unprivileged user, and one in the node's part of the spool. It creates nothing else, so any user can run it
// before anything is installed. What it could not check is never reported as good: such a finding is a warning
// with Seen false.
//
// Files of other accounts: slurm.conf, plugstack.conf and the hooks that they name belong to the administrator
// or to Slurm's account; they are read as bounded regular files and never run. A child with the rights of the
// collection directory's account reports what that account sees; its answer consists of numbers. Programs are
// run for their version only if root alone can change them.
package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/analysis/note"
	"jobgait/configs"
)

// Verdict is the severity of a finding.
type Verdict string

const (
	OK      Verdict = "ok"
	Warning Verdict = "warning" // jobs are watched, but something is missing, or was not seen
	Failure Verdict = "failure" // jobs are not watched, or their reports do not arrive
)

// Finding is the result of one check.
type Finding struct {
	// Subject is one word that identifies the check and does not change between versions.
	Subject string  `json:"subject"`
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"` // one line
	// Do is the command that repairs the problem, nil without one.
	Do *string `json:"do"`
	// Seen is false if this account or host could not check it.
	Seen bool `json:"seen"`
}

// Node is the installation to check on a node: its programs, settings and paths.
type Node struct {
	Name     string // as Slurm calls it
	Program  string // path of any program of jobgait; the others are in the same directory
	Settings string // path of the settings file, which may not exist
	Config   configs.Config
	// Unusable is the error of loading the settings, nil if they are valid.
	Unusable  error
	SlurmConf string // slurm.conf that scontrol uses, "" for its default
	// NoSlurm marks a machine without Slurm and settings: only what `jobgait run` needs is checked.
	NoSlurm bool
	// Root is prepended to /proc, /sys, /run and /etc/systemd in tests; "" otherwise.
	Root string

	open           perf.Opener                        // nil: perf.Open
	statfs         func(string, *unix.Statfs_t) error // nil: unix.Statfs
	inspectForTest func(context.Context) (SharedDirectory, error)
}

// checksLimit is the time limit of all checks together, because file systems and schedulers may hang.
const checksLimit = 60 * time.Second

// Findings makes all checks that apply to this node, in the order in which a job depends on them, and returns
// their results. If the settings are unusable it makes only those that need no settings; without Slurm it
// leaves out those of Slurm.
func (n Node) Findings(ctx context.Context) []Finding {
	ctx, cancel := context.WithTimeout(ctx, checksLimit)
	defer cancel()
	list := []Finding{n.checkSettings()}
	list = append(list, n.checkPrograms(ctx)...)
	list = append(list, n.checkKernel(), n.checkPerf())
	if n.Unusable != nil {
		return list // the other checks need valid settings
	}
	if n.NoSlurm {
		return append(list, n.checkSpool(), n.checkRuns(), n.checkAgents(), n.checkHistory(ctx, SharedDirectory{}, nil))
	}
	slurm := n.readSlurmConfig(ctx)
	list = append(list, n.checkCgroups(slurm)...)
	list = append(list, n.checkSlurm(slurm)...)
	list = append(list, n.checkSpool(), n.checkRuns(), n.checkAgents())
	list = append(list, n.checkShared(ctx, slurm)...)
	if n.Config.History.Snapshots != "" {
		list = append(list, n.checkSnapshots())
	}
	return append(list, n.checkTimers()...)
}

// passed returns a finding without a problem.
func passed(subject, format string, args ...any) Finding {
	return Finding{Subject: subject, Verdict: OK, Text: cleanLine(format, args...), Seen: true}
}

// warning returns a finding with a warning; do is the command that repairs it, "" for none.
func warning(subject, do, format string, args ...any) Finding {
	return newFinding(Warning, subject, do, cleanLine(format, args...))
}

// failure returns a finding with a failure; do is the command that repairs it, "" for none.
func failure(subject, do, format string, args ...any) Finding {
	return newFinding(Failure, subject, do, cleanLine(format, args...))
}

// newFinding returns a finding with this verdict and command.
func newFinding(v Verdict, subject, do, text string) Finding {
	f := Finding{Subject: subject, Verdict: v, Text: text, Seen: true}
	if do != "" {
		do = note.Clean(do, 1000)
		f.Do = &do
	}
	return f
}

// notChecked returns a warning that a check could not be made, with Seen false.
func notChecked(subject, do, format string, args ...any) Finding {
	f := newFinding(Warning, subject, do, "not checked: "+cleanLine(format, args...))
	f.Seen = false
	return f
}

// cleanLine formats a text as one printable line of at most 1000 characters.
func cleanLine(format string, args ...any) string {
	return note.Line(fmt.Sprintf(format, args...), 1000)
}

// isRoot reports whether this process is root, as the hooks are.
func isRoot() bool { return os.Geteuid() == 0 }

// rerunAsRoot is the command that repeats all checks with the rights of the hooks.
const rerunAsRoot = "sudo jobgait doctor"

// path returns a path of the machine below Root.
func (n Node) path(path string) string { return filepath.Join("/", n.Root, path) }

// dir returns the directory of the programs.
func (n Node) dir() string { return filepath.Dir(n.Program) }
