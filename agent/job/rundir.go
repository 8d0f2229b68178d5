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

// RunDir is the directory of one run on one node, <spool>/<node>/<run key>.
type RunDir string

// ErrLocked is returned when another process, such as the agent or a sweep, holds a run's lock.
var ErrLocked = errors.New("another process, such as the run's agent, holds the lock of the run: try again when it " +
	"has ended")

// Dir returns the path of the run directory of a key. It creates nothing.
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
		return fmt.Errorf("make the spool directory: %w", err)
	}
	dir := NodeDir(spool, node)
	for _, d := range []struct {
		path string
		mode os.FileMode
	}{{spool, 0o711}, {dir, 0o700}} {
		if err := os.Mkdir(d.path, d.mode); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make the spool directory: %w", err)
		}
	}
	for _, d := range []string{spool, dir} {
		err := RequireRootOwned(d)
		if errors.Is(err, ErrForeignDir) {
			return fmt.Errorf("check the spool directory: %w, or name another spool.dir", err)
		}
		if err != nil {
			return fmt.Errorf("check the spool directory: %w", err)
		}
	}
	return nil
}

// ErrForeignDir is returned for a directory that another account can change.
var ErrForeignDir = errors.New(
	"root writes only to a directory that no other account can change: chown root, chmod go-w")

// RequireRootOwned returns an error if dir is not an existing directory and, when called by root, if another
// account owns dir or can write to it: a link in place of a run directory could redirect root's files
// anywhere. It follows links.
func RequireRootOwned(dir string) error {
	why, err := foreignAccess(dir)
	if err != nil || why == "" || os.Geteuid() != 0 {
		return err
	}
	return fmt.Errorf("%s: %w", why, ErrForeignDir)
}

// RequireOwned returns an error if dir is not an existing directory, or if an account other than root and that of this
// process owns it or can write to it. It follows links.
func RequireOwned(dir string) error {
	why, err := foreignAccess(dir)
	if err != nil || why == "" {
		return err
	}
	return fmt.Errorf("%s: chown it to uid %d, chmod go-w", why, os.Geteuid())
}

// foreignAccess returns why an account other than root and that of this process can change a directory: it owns it, or
// group or others may write; "" if none can. The error is for a path that does not exist or is no directory.
func foreignAccess(dir string) (string, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return "", err
	}
	if !info.IsDir() {
		return "", fmt.Errorf("check the directory %s: %w", dir, syscall.ENOTDIR)
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return "", nil
	case st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Sprintf("%s belongs to uid %d", dir, st.Uid), nil
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Sprintf("%s has mode %04o, so other accounts can write to it", dir, info.Mode().Perm()), nil
	}
	return "", nil
}

// Make creates the run directory, mode 0700, in an existing node directory. It returns fs.ErrExist if a run of
// this key has been there.
func (d RunDir) Make() error {
	if err := os.Mkdir(string(d), 0o700); err != nil {
		return fmt.Errorf("make the run directory: %w", err)
	}
	return nil
}

// Dirs returns the run directories in a node's part of the spool that have an env.json, sorted by name. A spool
// that does not exist yet has no run directories.
func Dirs(nodeDir string) ([]RunDir, error) { return DirsNamed(nodeDir, "") }

// DirsNamed returns the run directories (those with an env.json) whose names begin with prefix, nil if
// nodeDir does not exist. It does not read the others, because a node of short jobs has ten thousands. It
// returns an error if nodeDir or its parent fails RequireRootOwned.
func DirsNamed(nodeDir, prefix string) ([]RunDir, error) {
	entries, err := os.ReadDir(nodeDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, d := range []string{filepath.Dir(nodeDir), nodeDir} {
		err = errors.Join(err, RequireRootOwned(d))
	}
	if err != nil {
		return nil, fmt.Errorf("list the run directories: %w", err)
	}
	var dirs []RunDir
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), prefix) {
			continue
		}
		dir := RunDir(filepath.Join(nodeDir, e.Name()))
		if _, err := os.Lstat(dir.EnvPath()); err == nil && e.IsDir() {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// Path returns the path of a file in the directory.
func (d RunDir) Path(name string) string { return filepath.Join(string(d), name) }

// WriteJSON stores a value as JSON in a file of the directory, atomically.
func (d RunDir) WriteJSON(name string, v any) error { return writeJSON(d.Path(name), v) }

// WriteFile stores bytes in a file of the directory, atomically.
func (d RunDir) WriteFile(name string, b []byte) error { return writeFile(d.Path(name), b) }

// ReadJSON decodes what WriteJSON stored; fs.ErrNotExist means that the file does not exist.
func (d RunDir) ReadJSON(name string, v any) error { return readJSON(d.Path(name), v) }

// Mark creates an empty file in the directory, or empties the one of this name, whose time becomes the present.
func (d RunDir) Mark(name string) error {
	f, err := OpenPlain(d.Path(name), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// EnvPath returns the path of the file with the Run, written by the Prolog.
func (d RunDir) EnvPath() string { return d.Path("env.json") }

// PIDPath returns the path of the file with the agent's process id and start ticks.
func (d RunDir) PIDPath() string { return d.Path("agent.pid") }

// ReadyPath returns the path of the file that the agent creates when its counters run.
func (d RunDir) ReadyPath() string { return d.Path("ready") }

// LockPath returns the path of the lock file, which is locked by flock from the Prolog until the agent ends.
func (d RunDir) LockPath() string { return d.Path("lock") }

// ProfilePath returns the path of the profile.
func (d RunDir) ProfilePath() string { return d.Path("profile.jgp") }

// AgentLogPath returns the path of the file with the agent's output.
func (d RunDir) AgentLogPath() string { return d.Path("agent.log") }

// WriteRun stores the run in env.json, atomically, readable by the owner only.
func (d RunDir) WriteRun(r Run) error { return writeJSON(d.EnvPath(), r) }

// ReadRun reads the run that the Prolog stored.
func (d RunDir) ReadRun() (Run, error) {
	var r Run
	return r, readJSON(d.EnvPath(), &r)
}

// SyncRun syncs env.json to disk, for which the Prolog has no time. Without it a power failure in the first
// half minute of a run would leave an empty file.
func (d RunDir) SyncRun() error {
	f, err := OpenPlain(d.EnvPath(), os.O_RDONLY, 0)
	if err != nil {
		return fmt.Errorf("sync the run's context to disk: %w", err)
	}
	defer f.Close()
	if err := unix.Fdatasync(int(f.Fd())); err != nil {
		return fmt.Errorf("sync %s to disk: %w", d.EnvPath(), err)
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

// ReadDetails reads what WriteDetails stored; without a file it returns empty details. It never returns an
// account: the job's own processes can claim any account, and jobs are charged to accounts.
func (d RunDir) ReadDetails() (Details, error) {
	var det Details
	err := readJSON(d.Path("details.json"), &det)
	if errors.Is(err, fs.ErrNotExist) {
		return Details{}, nil
	}
	det.Account = ""
	return det, err
}

// TryLock takes the run's lock without waiting; ErrLocked means that a live process holds it. The lock
// belongs to the open file: it passes to a child with the descriptor and ends when the last copy is closed,
// even by a kill. The lock file is created if it is missing.
func (d RunDir) TryLock() (*os.File, error) {
	f, err := OpenPlain(d.LockPath(), os.O_RDWR|os.O_CREATE, 0o600)
	if errors.Is(err, syscall.EROFS) { // a disk that failed during the job: what is there can be reported
		f, err = OpenPlain(d.LockPath(), os.O_RDONLY, 0)
	}
	if err != nil {
		return nil, fmt.Errorf("open the lock file of the run: %w", err)
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, fmt.Errorf("take the lock file %s: %w", d.LockPath(), ErrLocked)
	}
	return nil, fmt.Errorf("take the lock file %s: %w: the spool needs a file system with working locks", d.LockPath(),
		err)
}

// RenameAside renames the directory to <name>~N with the first free N, so that a new run of the same key can
// begin and a sweep finds the old one.
func (d RunDir) RenameAside() (RunDir, error) {
	for n := 1; n <= 1000; n++ {
		to := RunDir(fmt.Sprintf("%s~%d", d, n))
		if _, err := os.Lstat(string(to)); err == nil {
			continue
		}
		if err := os.Rename(string(d), string(to)); err != nil {
			return "", fmt.Errorf("move the directory of an earlier run of this job aside: %w", err)
		}
		return to, nil
	}
	return "", fmt.Errorf("move %s aside: 1000 older runs of this job are kept beside it: remove some of them", d)
}
