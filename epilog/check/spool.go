package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/epilog/finish"
)

// minFreeBytes is the free space that a spool needs: a day's profile of eight counters.
const minFreeBytes = 100 << 20

// maxMemoryShare is the share of a node's memory that a spool on a memory file system may take from jobs.
const maxMemoryShare = 0.02

// checkSpool checks the spool, by creating a file if this process may, and its file system and free space.
func (n Node) checkSpool() Finding {
	const subject = "spool"
	dir := n.Config.Spool.Dir
	at, err := existingParent(dir)
	if err == nil && at == dir {
		err = n.trySpool()
	}
	switch {
	case errors.Is(err, fs.ErrPermission) && !isRoot():
		return notChecked(subject, rerunAsRoot, "%v", err)
	case errors.Is(err, job.ErrForeignDir):
		return failure(subject, fmt.Sprintf("chown root:root %[1]s && chmod go-w %[1]s", dir), "%v", err)
	case err != nil:
		return failure(subject, fmt.Sprintf("install -d -o root -m 0711 %s", dir), "%v", err)
	}
	if kind, err := history.NetworkFileSystem(at); err == nil && kind != "" {
		return failure(subject, n.editCommand("[spool] dir"),
			"%s is on %s: spool.dir must be local to this node, because hooks must not wait for a network", dir, kind)
	}
	return n.checkSpoolSpace(dir, at)
}

// editCommand returns the command that edits the settings file, with a comment that names what to change.
func (n Node) editCommand(what string) string {
	return fmt.Sprintf("${EDITOR:-vi} %s   # %s", n.Settings, what)
}

// existingParent returns dir if it exists, else its nearest existing parent directory.
func existingParent(dir string) (string, error) {
	for {
		info, err := os.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			return dir, nil
		case err == nil:
			return "", fmt.Errorf("%s is not a directory: remove it, or name another path in the settings", dir)
		case !errors.Is(err, fs.ErrNotExist) || dir == "/":
			return "", err
		}
		dir = filepath.Dir(dir)
	}
}

// trySpool creates and removes a file in the node's part of the spool as the hooks would. As root it returns an error
// if another account can change the spool or that part. It returns nil if the part does not exist yet.
func (n Node) trySpool() error {
	dir, node := n.Config.Spool.Dir, job.NodeDir(n.Config.Spool.Dir, n.Name)
	if err := job.RequireRootOwned(dir); err != nil {
		return err
	}
	err := job.RequireRootOwned(node)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the first Prolog makes it
	} else if err != nil {
		return err
	}
	f, err := os.CreateTemp(node, ".check-")
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// checkSpoolSpace checks the size and free space of the spool's file system, and whether it is in memory.
func (n Node) checkSpoolSpace(dir, at string) Finding {
	const subject = "spool"
	statfs := n.statfs
	if statfs == nil {
		statfs = unix.Statfs
	}
	var st unix.Statfs_t
	if err := statfs(at, &st); err != nil {
		return notChecked(subject, rerunAsRoot, "%s: %v", at, err)
	}
	free, total := int64(st.Bavail)*st.Bsize, float64(st.Blocks)*float64(st.Bsize)
	limit := n.Config.Spool.MaxGB * 1e9
	kind := map[uint32]string{unix.TMPFS_MAGIC: "tmpfs", unix.RAMFS_MAGIC: "ramfs"}[uint32(st.Type)]
	if uint32(st.Type) == unix.OVERLAYFS_SUPER_MAGIC {
		var upper unix.Statfs_t
		if dir := n.upperDir(at); dir != "" && statfs(dir, &upper) == nil && uint32(upper.Type) == unix.TMPFS_MAGIC {
			kind = "tmpfs under an overlay"
		}
	}
	memory := n.memory()
	switch {
	case kind != "" && limit > maxMemoryShare*memory:
		return warning(subject, n.editCommand(fmt.Sprintf("[spool] max_gb = %.2g", max(.1, maxMemoryShare*memory/1e9))),
			"%s is in memory (%s): profiles may take %g GB of the %.3g GB that jobs need", dir, kind, limit/1e9, memory/1e9)
	case total > 0 && (free < minFreeBytes || st.Files > 0 && st.Ffree < 1000):
		return failure(subject, fmt.Sprintf("du -xsh %s", dir),
			"%s is nearly full, so jobs may get no report: %d MB and %d files are free", dir, free>>20,
			st.Ffree)
	case total > 0 && limit > total:
		return warning(subject, n.editCommand(fmt.Sprintf("[spool] max_gb = %.2g", total/2e9)),
			"the file system of %s has %.2g GB, less than spool.max_gb = %g: it may become full", dir, total/1e9,
			n.Config.Spool.MaxGB)
	}
	if kind == "" {
		kind = "a disk"
	}
	return passed(subject, "%s on %s, %d MB free, %g MB used at most", dir, kind, free>>20, 1000*n.Config.Spool.MaxGB)
}

// upperDir returns the directory where the overlay that contains a path stores writes, "" if there is no
// overlay or it is not visible. Images of diskless nodes are overlays on a tmpfs.
func (n Node) upperDir(at string) string {
	text, _ := os.ReadFile(n.path("proc/self/mountinfo"))
	best, upper := -1, ""
	for l := range strings.Lines(string(text)) {
		before, after, _ := strings.Cut(l, " - ")
		head, tail := strings.Fields(before), strings.Fields(after)
		if len(head) < 5 || len(tail) < 3 || len(head[4]) < best ||
			!strings.HasPrefix(at+"/", strings.TrimSuffix(head[4], "/")+"/") {
			continue
		}
		best, upper = len(head[4]), ""
		for o := range strings.SplitSeq(tail[2], ",") {
			if dir, ok := strings.CutPrefix(o, "upperdir="); ok && tail[0] == "overlay" {
				upper = dir
			}
		}
	}
	return upper
}

// memory returns the node's memory in bytes, 0 if it is unknown.
func (n Node) memory() float64 {
	text, _ := os.ReadFile(n.path("proc/meminfo"))
	var kb float64
	_, _ = fmt.Sscanf(strings.TrimSpace(string(text)), "MemTotal: %f kB", &kb)
	return kb * 1024
}

// maxUnfinishedAge is how long after its end a run may be unfinished without a failure.
const maxUnfinishedAge = time.Hour

// runDirs returns the run directories of this node. An invalid spool, or one that is not root's, has none; the
// finding of the spool reports that.
func (n Node) runDirs() ([]job.RunDir, error) {
	dirs, err := job.Dirs(job.NodeDir(n.Config.Spool.Dir, n.Name))
	if errors.Is(err, unix.ENOTDIR) || errors.Is(err, job.ErrForeignDir) {
		return nil, nil
	}
	return dirs, err
}

// checkRuns checks that no run on this node is unfinished for longer than maxUnfinishedAge after its end.
func (n Node) checkRuns() Finding {
	const subject = "runs"
	dirs, err := n.runDirs()
	if err != nil {
		return notChecked(subject, rerunAsRoot, "%v", err)
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
	if oldest > maxUnfinishedAge {
		return failure(subject, "tail "+filepath.Join(job.NodeDir(n.Config.Spool.Dir, n.Name), "jobgait.log"),
			"runs that have ended and are not finished: %d, the first for %v: the log says why", waiting,
			oldest.Round(time.Minute))
	}
	return passed(subject, "%d at work, %d wait to be finished", going, waiting)
}

// checkAgents counts the running agents and checks that they run the installed program, not an earlier one.
func (n Node) checkAgents() Finding {
	const subject = "agents"
	dirs, err := n.runDirs()
	if err != nil {
		return notChecked(subject, rerunAsRoot, "%v", err)
	}
	installed, err := os.Stat(filepath.Join(n.dir(), "jobgait-agent"))
	running, other := 0, 0
	for _, d := range dirs {
		p, rerr := job.ReadProcess(d.PIDPath())
		if rerr != nil || !p.Alive() {
			continue
		}
		running++
		// Only compared, and only of the very process that the agent wrote down.
		if exe, serr := os.Stat(fmt.Sprintf("/proc/%d/exe", p.PID)); err == nil && serr == nil &&
			!os.SameFile(exe, installed) {
			other++
		}
	}
	if other > 0 {
		return warning(subject, "", "%d of %d running agents are of an earlier installation: they end with their jobs", other,
			running)
	}
	return passed(subject, "%d running", running)
}
