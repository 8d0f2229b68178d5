package job

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/analysis/run"
)

// RunDir is the directory of one run on one node: <spool>/<node>/<run key>.
type RunDir string

// ErrLocked is returned when another process, the agent, holds a run's lock.
var ErrLocked = errors.New("run is locked by its agent")

// Dir returns the run directory of a key. Nothing is created.
func Dir(spool, node string, key run.Key) RunDir {
	return RunDir(filepath.Join(NodeDir(spool, node), key.String()))
}

// NodeDir returns the part of the spool that belongs to one node.
func NodeDir(spool, node string) string { return filepath.Join(spool, run.PathElement(node, "node")) }

// MakeNodeDir creates a node's part of the spool, 0700. A missing spool gets 0711, so that a collection
// directory of another account may lie below it, and its missing parents 0755. An existing path stays as it is,
// but must be a directory, and for root one that no other account can write to.
func MakeNodeDir(spool, node string) error {
	if err := os.MkdirAll(filepath.Dir(spool), 0o755); err != nil {
		return fmt.Errorf("make spool: %w", err)
	}
	dir := NodeDir(spool, node)
	for _, d := range []struct {
		path string
		mode os.FileMode
	}{{spool, 0o711}, {dir, 0o700}} {
		if err := os.Mkdir(d.path, d.mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make spool: %w", err)
		}
	}
	for _, d := range []string{spool, dir} {
		err := RequireRootOwned(d)
		if errors.Is(err, ErrForeignDir) {
			return fmt.Errorf("make spool: %w, or name another spool.dir", err)
		}
		if err != nil {
			return fmt.Errorf("make spool: %w", err)
		}
	}
	return nil
}

// ErrForeignDir is returned for a directory that another account can change.
var ErrForeignDir = errors.New("root keeps its files only where no other account can write: chown root, chmod go-w")

// RequireRootOwned returns an error if root works in a directory that another account owns or can write to: a link
// in place of a run directory could redirect root's files anywhere.
func RequireRootOwned(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s: %w", dir, syscall.ENOTDIR)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok || os.Geteuid() != 0:
		return nil
	case st.Uid != 0:
		return fmt.Errorf("%s belongs to uid %d: %w", dir, st.Uid, ErrForeignDir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s has mode %04o: %w", dir, info.Mode().Perm(), ErrForeignDir)
	}
	return nil
}

// Make creates the run directory, 0700, in a node directory that exists.
// fs.ErrExist means that a run of this key is, or was, there.
func (d RunDir) Make() error {
	if err := os.Mkdir(string(d), 0o700); err != nil {
		return fmt.Errorf("make run directory: %w", err)
	}
	return nil
}

// Dirs returns the run directories in a node's part of the spool, sorted by
// name: those that a Prolog, or an Epilog without one, has written its run
// into. A spool that does not exist yet has none.
func Dirs(nodeDir string) ([]RunDir, error) { return DirsNamed(nodeDir, "") }

// DirsNamed returns those whose name begins with prefix, and looks into no other: a
// node of short jobs has ten thousands.
func DirsNamed(nodeDir, prefix string) ([]RunDir, error) {
	entries, err := os.ReadDir(nodeDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range []string{filepath.Dir(nodeDir), nodeDir} {
		err = errors.Join(err, RequireRootOwned(d))
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var dirs []RunDir
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := RunDir(filepath.Join(nodeDir, e.Name()))
		if _, err := os.Lstat(dir.Env()); err == nil && e.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// Path returns the path of a file in the directory.
func (d RunDir) Path(name string) string { return filepath.Join(string(d), name) }

// WriteJSON stores a value in a file of the directory, whole or not at all.
func (d RunDir) WriteJSON(name string, v any) error { return writeJSON(d.Path(name), v) }

// WriteFile does the same with bytes.
func (d RunDir) WriteFile(name string, b []byte) error { return writeFile(d.Path(name), b) }

// ReadJSON reads what WriteJSON stored; fs.ErrNotExist means that it did not.
func (d RunDir) ReadJSON(name string, v any) error { return readJSON(d.Path(name), v) }

// Env is the run as the Prolog knew it.
func (d RunDir) Env() string { return d.Path("env.json") }

// PID is the agent's process id and start ticks.
func (d RunDir) PID() string { return d.Path("agent.pid") }

// Ready is made by the agent when its counters run.
func (d RunDir) Ready() string { return d.Path("ready") }

// Lock is held, by flock, from the Prolog on and as long as the agent lives.
func (d RunDir) Lock() string { return d.Path("lock") }

// Profile is the profile file.
func (d RunDir) Profile() string { return d.Path("profile.jgp") }

// AgentLog takes what the agent prints.
func (d RunDir) AgentLog() string { return d.Path("agent.log") }

// WriteRun stores the run, whole or not at all, readable by the owner only.
func (d RunDir) WriteRun(r Run) error { return writeJSON(d.Env(), r) }

// ReadRun reads the run that the Prolog stored.
func (d RunDir) ReadRun() (Run, error) {
	var r Run
	return r, readJSON(d.Env(), &r)
}

// KeepRun forces what WriteRun stored to the disk, which may take long and which the
// Prolog has no time for: in its first half minute a run would be lost with the node's
// power, because the kernel leaves a new file without a byte until it writes it.
func (d RunDir) KeepRun() error {
	f, err := os.Open(d.Env())
	if err != nil {
		return fmt.Errorf("keep run: %w", err)
	}
	defer f.Close()
	if err := unix.Fdatasync(int(f.Fd())); err != nil {
		return fmt.Errorf("keep run %s: %w", d.Env(), err)
	}
	return nil
}

// prologFile holds how long the Prolog took.
const prologFile = "prolog.json"

// WritePrologTime stores how long the Prolog took, in seconds.
func (d RunDir) WritePrologTime(s float64) error { return d.WriteJSON(prologFile, s) }

// PrologTime returns how long the Prolog took, in seconds; nil where that is unknown.
func (d RunDir) PrologTime() *float64 {
	var s float64
	if err := d.ReadJSON(prologFile, &s); err != nil || !(s >= 0 && s < 3600) {
		return nil
	}
	return &s
}

// WriteDetails stores what was learned of the job while it ran.
func (d RunDir) WriteDetails(det Details) error { return writeJSON(d.Path("details.json"), det) }

// ReadDetails reads what WriteDetails stored; no file is no details. It never returns an account: the job's own
// processes can claim any account, and jobs are charged to accounts.
func (d RunDir) ReadDetails() (Details, error) {
	var det Details
	err := readJSON(d.Path("details.json"), &det)
	if errors.Is(err, fs.ErrNotExist) {
		return Details{}, nil
	}
	det.Account = ""
	return det, err
}

// TryLock takes the run's lock. The lock belongs to the open file: it passes to
// a child with the descriptor and ends when the last copy is closed, by a kill
// too. ErrLocked means that a live process holds it.
func (d RunDir) TryLock() (*os.File, error) {
	f, err := os.OpenFile(d.Lock(), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if errors.Is(err, syscall.EROFS) { // a disk that failed during the job: what is there can be reported
		f, err = os.OpenFile(d.Lock(), os.O_RDONLY|syscall.O_NOFOLLOW, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("lock run: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("%s: %w", d.Lock(), ErrLocked)
	}
	return nil, fmt.Errorf("lock %s: %w", d.Lock(), err)
}

// SetAside renames the directory to <name>~N, the first N that is free, so that
// a new run of the same key can begin and a sweep finds the old one.
func (d RunDir) SetAside() (RunDir, error) {
	for n := 1; n <= 1000; n++ {
		to := RunDir(fmt.Sprintf("%s~%d", d, n))
		if _, err := os.Lstat(string(to)); err == nil {
			continue
		}
		if err := os.Rename(string(d), string(to)); err != nil {
			return "", fmt.Errorf("set old run aside: %w", err)
		}
		return to, nil
	}
	return "", fmt.Errorf("set %s aside: 1000 older ones are there", d)
}
