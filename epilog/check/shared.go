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

// SharedDirectory describes the collection directory as its account sees it.
type SharedDirectory struct {
	// Trouble is why no record can be written there, "" if it can.
	Trouble string `json:"trouble"`
	// Network is the type of its network file system, "" for a disk of this node.
	Network string `json:"network"`
	// AheadS is by how much the clock of its file server is ahead of this node's.
	AheadS float64 `json:"ahead_s"`
	// Waiting is the number of waiting job records, OldestS the age of the oldest in seconds.
	Waiting int     `json:"waiting"`
	OldestS float64 `json:"oldest_s"`
	// Failed is the number of records that were set aside: damaged ones and those that no history can store.
	Failed int `json:"failed"`
}

// ServeInspect is the main function of the child that inspects the collection directory: the directory comes
// in, a SharedDirectory goes out.
func ServeInspect(ctx context.Context, r as.Request) error {
	return as.AnswerOne(func(_ context.Context, dir string) SharedDirectory { return inspect(dir) })(ctx, r)
}

// inspect inspects the collection directory with the rights of this process.
func inspect(dir string) (s SharedDirectory) {
	err := s.testWrite(dir)
	if err == nil {
		err = s.countRecords(filepath.Join(dir, "jobs"))
	}
	if err != nil {
		s.Trouble = err.Error()
	}
	return s
}

// testWrite writes and removes a file in the directory, and sets Network and AheadS, by how much the file
// server's clock, which sets the file's time, differs from this node's. It refuses a directory that other
// accounts can access.
func (s *SharedDirectory) testWrite(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("check directory %s, mode %v: %w", dir, info.Mode(), errMode)
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
		s.AheadS = secondsOutside(info.ModTime(), before, time.Now())
	}
	return errors.Join(err, f.Close(), os.Remove(f.Name()))
}

var errMode = errors.New("want a directory that accounts other than its own cannot access: chmod 700")

// secondsOutside returns by how many seconds at is before from (negative) or after to (positive); 0 between
// them.
func secondsOutside(at, from, to time.Time) float64 {
	switch {
	case at.Before(from):
		return at.Sub(from).Seconds()
	case at.After(to):
		return at.Sub(to).Seconds()
	}
	return 0
}

// countRecords counts the job records that wait for the writer of the history, and those that were set aside.
func (s *SharedDirectory) countRecords(dir string) error {
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

// checkShared checks what the nodes share: the collection directory, clocks, and the history.
func (n Node) checkShared(ctx context.Context, slurm controllerConfig) []Finding {
	const subject = "collect"
	c := n.Config.Collect
	whose := c.Account
	if whose == "" {
		whose = "root"
	}
	s, err := n.inspectShared(ctx)
	made := fmt.Sprintf("install -d -o %s -m 0700 %s   # where root is root: on the file server", whose, c.Dir)
	var collect Finding
	switch {
	case errors.Is(err, errNotPermitted):
		collect = notChecked(subject, rerunAsRoot, "only %[2]s may use %[1]s", c.Dir, whose)
	case errors.Is(err, errNoAccount):
		collect = failure(subject, fmt.Sprintf("useradd --system %s   # one number on all nodes", c.Account),
			"collect.account: %v", err)
	case err != nil:
		collect = failure(subject, "mount | grep "+filepath.Dir(c.Dir), "%v", err)
	case s.Trouble != "":
		collect = failure(subject, made, "%s cannot write a record: %s", whose, s.Trouble)
	case s.Network == "" && n.exports(c.Dir):
		collect = passed(subject, "%s can be written by %s; this node exports it to the others", c.Dir, whose)
	case s.Network == "":
		collect = warning(subject, n.editCommand("[collect] dir, on a file system that all nodes share"),
			"%s can be written by %s, but lies on this node's own disk: right for jobs of one node only", c.Dir, whose)
	default:
		collect = passed(subject, "%s on %s can be written by %s", c.Dir, s.Network, whose)
	}
	return []Finding{collect, n.checkClocks(slurm, s, err), n.checkHistory(ctx, s, err)}
}

// exports reports whether this node exports a directory or one above it by NFS. It reads the list of the
// kernel's server, which has one path and its clients per line.
func (n Node) exports(dir string) bool {
	text, _ := readPlainFile(n.path("var/lib/nfs/etab"))
	for l := range strings.Lines(string(text)) {
		f := strings.Fields(l)
		if len(f) > 0 && (f[0] == dir || strings.HasPrefix(dir, strings.TrimSuffix(f[0], "/")+"/")) {
			return true
		}
	}
	return false
}

var (
	errNotPermitted = errors.New("only root or the account of the collection directory may check it: use one of them")
	errNoAccount    = errors.New("the account of the collection directory is unknown on this node")
)

// inspectLimit is the time limit of the child that inspects the directory, because file systems may hang.
const inspectLimit = 15 * time.Second

// inspectShared inspects the collection directory in a child with the rights of its account; the child may be abandoned
// if it hangs. The error is errNotPermitted if this process may not use the account, and errNoAccount if the account is
// unknown.
func (n Node) inspectShared(ctx context.Context) (s SharedDirectory, err error) {
	if n.inspectForTest != nil {
		return n.inspectForTest(ctx)
	}
	account := as.Account{UID: uint32(os.Geteuid()), GID: uint32(os.Getegid())}
	if n.Config.Collect.Account != "" {
		if account, err = as.Lookup(ctx, n.Config.Collect.Account); err != nil {
			return s, fmt.Errorf("%w: %w", errNoAccount, err)
		}
	}
	if !isRoot() && !account.IsCurrent() || n.Config.Collect.Account == "" && !isRoot() {
		return s, errNotPermitted
	}
	ctx, cancel := context.WithTimeout(ctx, inspectLimit)
	defer cancel()
	return as.Ask[SharedDirectory](ctx, as.Child{Program: n.Program, Account: account}, as.InspectCollection,
		n.Config.Collect.Dir)
}

// maxClockDiffS is by how many seconds clocks may differ without a warning: reports of jobs on several nodes
// have a note from this difference on.
const maxClockDiffS = 1

// checkClocks compares this node's clock with those of the file server and of the controller, whose time has whole
// seconds. A difference above maxClockDiffS is a warning. s and err are the result of inspecting the collection
// directory.
func (n Node) checkClocks(slurm controllerConfig, s SharedDirectory, err error) Finding {
	const subject, do = "clock", "timedatectl set-ntp true"
	compared := ""
	if !slurm.controllerTime.IsZero() {
		ahead := secondsOutside(slurm.controllerTime, slurm.from.Add(-time.Second), slurm.to)
		if ahead > maxClockDiffS || ahead < -maxClockDiffS {
			return warning(subject, do,
				"the controller's clock is %+.0f s from this node's: times of jobs and of reports differ",
				ahead)
		}
		compared = "the controller"
	}
	if err == nil && s.Trouble == "" {
		if s.AheadS > maxClockDiffS || s.AheadS < -maxClockDiffS {
			return warning(subject, do, "the clock of the file server of collect.dir is %+.1f s from this node's: records seem "+
				"older or newer than they are", s.AheadS)
		}
		compared = strings.TrimPrefix(compared+" and the file server", " and ")
	}
	if compared == "" {
		return notChecked(subject, rerunAsRoot, "there is nothing to compare this node's clock with")
	}
	return passed(subject, "as that of %s", compared)
}
