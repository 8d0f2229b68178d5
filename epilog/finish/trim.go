package finish

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"jobgait/agent/job"
)

// memory is how long a finished run whose files are not kept is remembered, so
// that an Epilog that Slurm repeats does not take its job for a new one.
const memory = 24 * time.Hour

// doomed is the prefix of directories on their way out: they are renamed first,
// so that half of a directory is never taken for a run.
const doomed = ".gone-"

// torn is how old a directory without a readable run must be before it is
// thrown away: its Prolog is long over.
const torn = time.Hour

// candidate is something in the node's spool that may be removed for room.
type candidate struct {
	path  string
	bytes int64
	age   time.Duration
}

// trim removes what need not stay: directories on their way out, those that a
// crash left unreadable, finished runs that are not kept after memory, and then
// finished runs and undelivered reports, oldest first, until the spool is within
// its size. Runs that are not finished are never removed.
func (f Finisher) trim() (removed int, err error) {
	entries, err := os.ReadDir(f.Spool)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("keep the spool within its size: %w", err)
	}
	var finished []candidate
	var failed error
	total := int64(0)
	for _, e := range entries {
		path := filepath.Join(f.Spool, e.Name())
		c := measure(path)
		switch keep := f.worth(e, c); {
		case !e.IsDir():
		case keep == nothing:
			failed = errors.Join(failed, discard(path))
		case keep == whileRoom:
			finished = append(finished, c)
			total += c.bytes
		default:
			total += c.bytes
		}
	}
	kept, err := filepath.Glob(filepath.Join(f.Spool, reportsDir, "*"))
	failed = errors.Join(failed, err)
	for _, path := range kept {
		c := measure(path)
		finished = append(finished, c)
		total += c.bytes
	}
	slices.SortFunc(finished, func(a, b candidate) int { return cmp.Compare(b.age, a.age) })
	limit := int64(f.Config.Spool.MaxGB * 1e9)
	for _, c := range finished {
		if total <= limit {
			break
		}
		failed = errors.Join(failed, discard(c.path))
		total -= c.bytes
		removed++
	}
	return removed, failed
}

// worth says how much a directory is worth keeping.
type worth int

const (
	nothing worth = iota
	whileRoom
	everything
)

func (f Finisher) worth(e fs.DirEntry, c candidate) worth {
	dir := job.RunDir(c.path)
	_, unreadable := dir.ReadRun()
	switch {
	case strings.HasPrefix(e.Name(), doomed):
		return nothing
	case e.Name() == reportsDir || !e.IsDir():
		return everything // its reports are judged one by one
	case unreadable != nil && c.age > torn && unlocked(dir):
		return nothing
	case unreadable != nil || !Done(dir):
		return everything
	case f.Config.Spool.Keep == "none" && c.age > memory:
		return nothing
	}
	return whileRoom
}

// unlocked is whether nobody works in a directory.
func unlocked(dir job.RunDir) bool {
	lock, err := dir.TryLock()
	if err != nil {
		return !errors.Is(err, job.ErrLocked)
	}
	_ = lock.Close()
	return true
}

// discard removes a directory in two steps, of which the first is atomic.
func discard(path string) error {
	gone := path
	if base := filepath.Base(path); !strings.HasPrefix(base, doomed) {
		gone = filepath.Join(filepath.Dir(path), doomed+base)
		if err := os.Rename(path, gone); err != nil {
			return fmt.Errorf("remove %s: %w", path, err)
		}
	}
	if err := os.RemoveAll(gone); err != nil {
		return fmt.Errorf("remove %s: %w", path, err)
	}
	return nil
}

// measure sums up the files below path; what vanishes meanwhile counts 0. The
// age is that of the youngest of them.
func measure(path string) candidate {
	c := candidate{path: path}
	var youngest time.Time
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := e.Info(); err == nil {
			if info.ModTime().After(youngest) {
				youngest = info.ModTime()
			}
			if info.Mode().IsRegular() {
				c.bytes += info.Size()
			}
		}
		return nil
	})
	c.age = time.Since(youngest)
	return c
}
