// Package check says what on one node would keep a job from being watched, or its
// report from its user: the settings, the programs, the spool, the collection
// directory, the history, slurm.conf, and what earlier jobs left unfinished. The
// settings and their paths come in, a list of findings goes out, each with what to do.
//
// Where it can it tries what the hooks will do instead of looking at modes: a file
// in the collection directory is made with the rights of its account and removed
// again. It changes nothing else but that it makes the node's part of the spool, as
// the first Prolog would. It refuses to call what it could not look at good.
package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"jobgait/agent/job"
	"jobgait/configs"
	"jobgait/epilog/finish"
)

// Verdict is what a finding comes to.
type Verdict string

const (
	Good  Verdict = "ok"
	Look  Verdict = "look" // may be as it should: only the administrator knows
	Wrong Verdict = "WRONG"
)

// Finding is one thing that was looked at.
type Finding struct {
	Verdict Verdict
	Subject string // one word
	Text    string // one line
}

// Node is an installation on a node, and how it is set up.
type Node struct {
	Name     string // as Slurm calls it
	Program  string // jobgait-epilog itself; the others lie beside it
	Settings string // the file that holds, whether it is there or not
	Config   configs.Config
	// Unusable is why the settings cannot be used, nil if they can.
	Unusable  error
	SlurmConf string // where scontrol finds its cluster, "" is its default
}

// limit bounds all of it together: file systems and schedulers hang.
const limit = 30 * time.Second

// Findings looks at everything, in the order in which a job meets it.
func (n Node) Findings(ctx context.Context) []Finding {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	list := []Finding{n.settings()}
	list = append(list, n.programs()...)
	if n.Unusable != nil {
		return list // nothing else is where these would say
	}
	list = append(list, n.slurm(ctx)...)
	return append(list, n.spool(), n.collect(ctx), n.history(ctx), n.left())
}

func good(subject, format string, args ...any) Finding {
	return Finding{Good, subject, fmt.Sprintf(format, args...)}
}

func look(subject, format string, args ...any) Finding {
	return Finding{Look, subject, fmt.Sprintf(format, args...)}
}

func wrong(subject, format string, args ...any) Finding {
	return Finding{Wrong, subject, job.Clean(fmt.Sprintf(format, args...), 1000)}
}

func (n Node) settings() Finding {
	const subject = "settings"
	if n.Unusable != nil {
		return wrong(subject, "%v: no job is watched", n.Unusable)
	}
	if _, err := os.Lstat(n.Settings); errors.Is(err, fs.ErrNotExist) {
		return look(subject, "no %s: the defaults hold", n.Settings)
	}
	return good(subject, "%s", n.Settings)
}

// programs are those that root starts.
func (n Node) programs() (list []Finding) {
	const subject = "programs"
	dir := filepath.Dir(n.Program)
	for _, name := range []string{"jobgait-prolog", "jobgait-agent", "jobgait-epilog"} {
		if err := runnable(filepath.Join(dir, name)); err != nil {
			list = append(list, wrong(subject, "%v", err))
		}
	}
	if list == nil {
		list = append(list, good(subject, "%s, version %s", dir, configs.Version))
	}
	return list
}

// runnable is nil for a program that root may run: nobody else can change it.
func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is no program: mode %v", path, info.Mode())
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if ok && os.Geteuid() == 0 && (st.Uid != 0 || info.Mode()&0o022 != 0) {
		return fmt.Errorf("%s can be changed by others than root (uid %d, mode %04o): hooks run it as root", path, st.Uid, info.Mode().Perm())
	}
	return nil
}

// patience is how long a run that has ended may wait to be finished.
const patience = time.Hour

// left is what earlier jobs left on this node.
func (n Node) left() Finding {
	const subject = "runs"
	spool := job.NodeDir(n.Config.Spool.Dir, n.Name)
	dirs, err := job.Dirs(spool)
	if err != nil {
		return wrong(subject, "%v", err)
	}
	waiting, going, oldest := 0, 0, time.Duration(0)
	for _, d := range dirs {
		end, err := finish.ReadEnd(d)
		switch {
		case finish.Done(d):
		case err != nil:
			going++
		default:
			waiting++
			oldest = max(oldest, time.Since(time.Unix(int64(end.Real), 0)))
		}
	}
	if oldest > patience {
		return wrong(subject, "%d have ended and are not finished, the first for %v: %s/jobgait.log says why; is jobgait-sweep.timer enabled?",
			waiting, oldest.Round(time.Minute), spool)
	}
	return good(subject, "%d at work, %d wait to be finished", going, waiting)
}
