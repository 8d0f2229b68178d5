package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jobgait/agent/as"
	"jobgait/analysis/history"
)

// Shared is the collection directory as its account sees it.
type Shared struct {
	// Trouble is why no record can be put there, "" if one can.
	Trouble string `json:"trouble"`
	// Network is its file system, "" for a disk of this node.
	Network string `json:"network"`
	// AheadS is by how much the clock of its file server is ahead of this node's.
	AheadS float64 `json:"ahead_s"`
	// Waiting job records, and for how long the first one has.
	Waiting int     `json:"waiting"`
	OldestS float64 `json:"oldest_s"`
	// Failed were set aside: they are damaged, or no history can take them.
	Failed int `json:"failed"`
}

// ServeLook is the child that looks at the collection directory: the directory comes in, a Shared goes out.
func ServeLook(ctx context.Context, r as.Request) error {
	return as.Answer(func(_ context.Context, dir string) Shared { return lookAt(dir) })(ctx, r)
}

// lookAt looks with the rights of this process.
func lookAt(dir string) (s Shared) {
	err := s.try(dir)
	if err == nil {
		err = s.records(filepath.Join(dir, "jobs"))
	}
	if err != nil {
		s.Trouble = err.Error()
	}
	return s
}

// try makes and removes a file, whose time is the file server's.
func (s *Shared) try(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is %v: %w", dir, info.Mode(), errMode)
	}
	s.Network, _ = history.NetworkFileSystem(dir)
	before := time.Now()
	f, err := os.CreateTemp(dir, ".tmp-")
	if err != nil {
		return err
	}
	_, err = f.Write([]byte("probe"))
	err = errors.Join(err, f.Sync())
	if info, serr := f.Stat(); serr == nil {
		s.AheadS = outside(info.ModTime(), before, time.Now())
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

var errMode = errors.New("accounts other than its own can write records there")

// outside is by how many seconds a moment lies before or after a span: 0 within.
func outside(at, from, to time.Time) float64 {
	switch {
	case at.Before(from):
		return at.Sub(from).Seconds()
	case at.After(to):
		return at.Sub(to).Seconds()
	}
	return 0
}

// records counts those that wait for the writer of the history.
func (s *Shared) records(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // no job has ended yet
	}
	aside, _ := os.ReadDir(filepath.Join(dir, "failed"))
	for _, e := range aside {
		if !strings.HasSuffix(e.Name(), ".why") { // beside each record: why it is there
			s.Failed++
		}
	}
	for _, e := range entries {
		info, ierr := e.Info()
		if ierr != nil || e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		s.Waiting++
		s.OldestS = max(s.OldestS, time.Since(info.ModTime()).Seconds())
	}
	return err
}

// shared judges what the nodes have in common: the collection directory, clocks,
// and the history.
func (n Node) shared(ctx context.Context, slurm answers) []Finding {
	const subject = "collect"
	c := n.Config.Collect
	whose := c.Account
	if whose == "" {
		whose = "root"
	}
	s, err := n.ask(ctx)
	made := fmt.Sprintf("install -d -o %s -m 0700 %s   # where root is root: on the file server", whose, c.Dir)
	var collect Finding
	switch {
	case errors.Is(err, errNotYours):
		collect = unseen(subject, asRoot, "%s is %s's to use", c.Dir, whose)
	case errors.Is(err, errNoAccount):
		collect = fail(subject, fmt.Sprintf("useradd --system %s   # one number on all nodes", c.Account),
			"collect.account: %v", err)
	case err != nil:
		collect = fail(subject, "mount | grep "+filepath.Dir(c.Dir), "%v", err)
	case s.Trouble != "":
		collect = fail(subject, made, "%s cannot put a record: %s", whose, s.Trouble)
	case s.Network == "" && n.exports(c.Dir):
		collect = ok(subject, "%s can be written by %s; this node exports it to the others", c.Dir, whose)
	case s.Network == "":
		collect = warn(subject, n.set("[collect] dir, on a file system that all nodes share"),
			"%s can be written by %s, but lies on this node's own disk: right for jobs of one node only", c.Dir, whose)
	default:
		collect = ok(subject, "%s on %s can be written by %s", c.Dir, s.Network, whose)
	}
	return []Finding{collect, n.clock(slurm, s, err), n.history(ctx, s, err)}
}

// exports is whether this node is the NFS server of a directory, by the list of the
// kernel's server: a path and its clients a line.
func (n Node) exports(dir string) bool {
	text, _ := read(n.path("var/lib/nfs/etab"))
	for l := range strings.Lines(string(text)) {
		f := strings.Fields(l)
		if len(f) > 0 && (f[0] == dir || strings.HasPrefix(dir, strings.TrimSuffix(f[0], "/")+"/")) {
			return true
		}
	}
	return false
}

var (
	errNotYours  = errors.New("neither root nor its account")
	errNoAccount = errors.New("no such account")
)

// lookLimit bounds how long the child may look: file systems hang.
const lookLimit = 15 * time.Second

// ask lets the account of the collection directory look at it, in a child that may
// be left behind.
func (n Node) ask(ctx context.Context) (s Shared, err error) {
	if n.look != nil {
		return n.look(ctx)
	}
	account := as.Account{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())}
	if n.Config.Collect.Account != "" {
		if account, err = as.Lookup(ctx, n.Config.Collect.Account); err != nil {
			return s, fmt.Errorf("%w: %w", errNoAccount, err)
		}
	}
	if !root() && !account.Current() || n.Config.Collect.Account == "" && !root() {
		return s, errNotYours
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	return as.Ask[Shared](ctx, as.Child{Program: n.Program, Account: account}, as.Look, n.Config.Collect.Dir)
}

// apart is by how many seconds clocks may differ: reports of jobs on several nodes
// say so from there on.
const apart = 1

// clock compares this node's with that of the file server and of the controller,
// which tells whole seconds.
func (n Node) clock(slurm answers, s Shared, err error) Finding {
	const subject, do = "clock", "timedatectl set-ntp true"
	compared := ""
	if !slurm.asOf.IsZero() {
		ahead := outside(slurm.asOf, slurm.from.Add(-time.Second), slurm.to)
		if ahead > apart || ahead < -apart {
			return warn(subject, do, "the controller's clock is %+.0f s from this node's: times of jobs and of reports differ",
				ahead)
		}
		compared = "the controller"
	}
	if err == nil && s.Trouble == "" {
		if s.AheadS > apart || s.AheadS < -apart {
			return warn(subject, do, "the clock of the file server of collect.dir is %+.1f s from this node's: records seem "+
				"older or newer than they are", s.AheadS)
		}
		compared = strings.TrimPrefix(compared+" and the file server", " and ")
	}
	if compared == "" {
		return unseen(subject, asRoot, "there is nothing to compare this node's clock with")
	}
	return ok(subject, "as that of %s", compared)
}
