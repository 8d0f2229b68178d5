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

// Verdict is what a finding comes to.
type Verdict string

const (
	OK      Verdict = "ok"
	Warning Verdict = "warning" // jobs are watched, but something is missing, or was not seen
	Failure Verdict = "failure" // jobs are not watched, or their reports do not arrive
)

// Finding is one thing that was looked at.
type Finding struct {
	// Subject is one stable word.
	Subject string  `json:"subject"`
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"` // one line
	// Do is the command to type, nil without one.
	Do *string `json:"do"`
	// Seen is false for what this account, or this host, cannot look at.
	Seen bool `json:"seen"`
}

// Node is an installation on a node, and how it is set up.
type Node struct {
	Name     string // as Slurm calls it
	Program  string // any program of jobgait; the others lie beside it
	Settings string // the file that holds, whether it is there or not
	Config   configs.Config
	// Unusable is why the settings cannot be used, nil if they can.
	Unusable  error
	SlurmConf string // where scontrol finds its cluster, "" is its default
	// Alone is a machine without Slurm and without settings: only what `jobgait
	// run` needs is looked at.
	Alone bool
	// Root is what /proc, /sys, /run and /etc/systemd lie below: "" but in tests.
	Root string

	open   perf.Opener                        // nil: perf.Open
	statfs func(string, *unix.Statfs_t) error // nil: unix.Statfs
	look   func(context.Context) (Shared, error)
}

// limit bounds all of it together: file systems and schedulers hang.
const limit = 60 * time.Second

// Findings looks at everything, in the order in which a job meets it.
func (n Node) Findings(ctx context.Context) []Finding {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	list := []Finding{n.settings()}
	list = append(list, n.programs(ctx)...)
	list = append(list, n.kernel(), n.perf())
	if n.Unusable != nil {
		return list // nothing else is where these would say
	}
	if n.Alone {
		return append(list, n.spool(), n.runs(), n.agents(), n.history(ctx, Shared{}, nil))
	}
	slurm := n.askSlurm(ctx)
	list = append(list, n.cgroup(slurm)...)
	list = append(list, n.slurm(slurm)...)
	list = append(list, n.spool(), n.runs(), n.agents())
	list = append(list, n.shared(ctx, slurm)...)
	if n.Config.History.Snapshots != "" {
		list = append(list, n.snapshots())
	}
	return append(list, n.timers()...)
}

func ok(subject, format string, args ...any) Finding {
	return Finding{Subject: subject, Verdict: OK, Text: line(format, args...), Seen: true}
}

// warn and fail take the line to type first, "" for none.
func warn(subject, do, format string, args ...any) Finding {
	return bad(Warning, subject, do, line(format, args...))
}

func fail(subject, do, format string, args ...any) Finding {
	return bad(Failure, subject, do, line(format, args...))
}

func bad(v Verdict, subject, do, text string) Finding {
	f := Finding{Subject: subject, Verdict: v, Text: text, Seen: true}
	if do != "" {
		do = note.Clean(do, 1000)
		f.Do = &do
	}
	return f
}

// unseen is what could not be looked at.
func unseen(subject, do, format string, args ...any) Finding {
	f := bad(Warning, subject, do, "not looked at: "+line(format, args...))
	f.Seen = false
	return f
}

func line(format string, args ...any) string { return note.Clean(fmt.Sprintf(format, args...), 1000) }

// root is whether this account is the hooks' own.
func root() bool { return os.Geteuid() == 0 }

// asRoot is the line that looks again with the rights of the hooks.
const asRoot = "sudo jobgait doctor"

// path is a path of the machine.
func (n Node) path(path string) string { return filepath.Join("/", n.Root, path) }

// dir is where the programs lie.
func (n Node) dir() string { return filepath.Dir(n.Program) }
