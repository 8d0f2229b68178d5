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
	"syscall"
	"time"

	"jobgait/agent/acl"
	"jobgait/agent/job"
	jobreport "jobgait/reports/job"
)

// memory is how long a finished run whose files are not kept is remembered, so
// that an Epilog that Slurm repeats does not take its job for a new one, and that
// the node can adopt the run if its collector has died.
const memory = adoptAfter + 24*time.Hour

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

// abandonAfter is how long a run that has ended is tried to be finished. Most wait
// for a history or a shared file system that somebody is mending.
const abandonAfter = 30 * 24 * time.Hour

// trim removes what need not stay: directories on their way out, those that a
// crash left unreadable, finished runs that are not kept after memory, runs that
// could not be finished in abandonAfter, and then finished runs and undelivered
// reports, oldest first, until the spool is within its size. Where that is not
// enough (a history that is locked for days keeps every run of every node) the
// profiles go of runs whose record is made, then runs that have ended, each with a
// line in the log: a full disk of a node harms more than a report that is missing.
// A run that goes on is never removed.
func (f Finisher) trim() (removed int, err error) {
	entries, err := os.ReadDir(f.Spool)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("keep the spool within its size: %w", err)
	}
	var finished, ended []candidate
	var failed error
	total := int64(0)
	for _, e := range entries {
		path := filepath.Join(f.Spool, e.Name())
		if e.Name() == reportsDir || e.Name() == retiredDir {
			continue // what is in them is judged one by one
		}
		if dir := job.RunDir(path); e.IsDir() && Done(dir) && unlocked(dir) { // an older version's, or of a killed worker
			if err := f.Retire(dir); err != nil {
				failed = errors.Join(failed, err)
			} else if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		c := measure(path)
		keep := f.worth(e, c)
		if keep == nothing && e.IsDir() {
			failed = errors.Join(failed, discard(path))
			continue
		}
		total += c.bytes
		switch {
		case keep == whileRoom && e.IsDir():
			finished = append(finished, c)
		case keep == unlessFull:
			ended = append(ended, c)
		}
	}
	failed = errors.Join(failed, f.takeBack())
	kept, err := filepath.Glob(filepath.Join(f.Spool, reportsDir, "*"))
	failed = errors.Join(failed, err)
	for _, path := range kept {
		c := measure(path)
		finished = append(finished, c)
		total += c.bytes
	}
	lines, err := f.retiredFiles()
	failed = errors.Join(failed, err)
	for _, c := range lines {
		finished, total = append(finished, c), total+c.bytes
	}
	removed, err = f.makeRoom(finished, ended, total-int64(f.Config.Spool.MaxGB*1e9))
	return removed, errors.Join(failed, err)
}

func oldestFirst(list []candidate) {
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b.age, a.age) })
}

// makeRoom removes what trim may until the spool is no larger by over bytes.
func (f Finisher) makeRoom(finished, ended []candidate, over int64) (removed int, failed error) {
	oldestFirst(finished)
	oldestFirst(ended)
	for ; removed < len(finished) && over > 0; removed++ {
		failed = errors.Join(failed, discard(finished[removed].path))
		over -= finished[removed].bytes
	}
	for _, drop := range []func(candidate) (int64, error){f.dropProfile, f.dropRun} {
		for i := 0; i < len(ended) && over > 0; i++ {
			bytes, err := drop(ended[i])
			failed = errors.Join(failed, err)
			over -= bytes
		}
	}
	return removed, failed
}

// dropProfile removes the profile of a run that has ended and whose record is made:
// a sweep finishes it from the record.
func (f Finisher) dropProfile(c candidate) (int64, error) {
	dir := job.RunDir(c.path)
	info, err := os.Lstat(dir.Profile())
	if err != nil || !exists(dir, recordFile) || !unlocked(dir) {
		return 0, nil
	}
	f.Log("removed the profile of %s, which is not finished: the spool is larger than spool.max_gb", filepath.Base(c.path))
	return info.Size(), os.Remove(dir.Profile())
}

// dropRun removes a run that has ended and is not finished.
func (f Finisher) dropRun(c candidate) (int64, error) {
	dir := job.RunDir(c.path)
	lock, err := dir.TryLock()
	if err != nil {
		return 0, nil // a worker has it
	}
	defer func() { _ = lock.Close() }()
	left := measure(c.path).bytes
	f.Log("removed %s, which is not finished: the spool is larger than spool.max_gb", filepath.Base(c.path))
	return left, discard(c.path)
}

// worth says how much a directory is worth keeping.
type worth int

const (
	nothing worth = iota
	whileRoom
	unlessFull
	everything
)

func (f Finisher) worth(e fs.DirEntry, c candidate) worth {
	dir := job.RunDir(c.path)
	_, unreadable := dir.ReadRun()
	switch {
	case strings.HasPrefix(e.Name(), doomed):
		return nothing
	case !e.IsDir():
		return everything
	case unreadable != nil && c.age > torn && unlocked(dir):
		return nothing
	case unreadable != nil:
		return everything
	case !Done(dir):
		return f.worthUnfinished(dir)
	case f.Config.Spool.Keep == "none" && c.age > memory:
		return nothing
	}
	return whileRoom
}

// worthUnfinished is what a run is worth that is not finished: all, unless it has
// ended. Its files do not tell its age: each try writes one of them.
func (f Finisher) worthUnfinished(dir job.RunDir) worth {
	end, err := ReadEnd(dir)
	switch {
	case err != nil:
		return everything
	case time.Since(time.Unix(int64(end.Real), 0)) > abandonAfter && unlocked(dir):
		f.Log("removed %s, which could not be finished in %d days", filepath.Base(string(dir)), int(abandonAfter.Hours()/24))
		return nothing
	}
	return unlessFull
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

// measure sums up the space that the files below path take on the disk; what vanishes meanwhile counts 0. The age is
// that of the youngest of them. Files of other accounts, which versions before 2026-11-27 left in the reports, count
// for neither: their owners can give them any size and time.
func measure(path string) candidate {
	c := candidate{path: path}
	var youngest time.Time
	_ = filepath.WalkDir(path, func(_ string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok || int(st.Uid) != os.Geteuid() {
			return nil
		}
		if info.ModTime().After(youngest) {
			youngest = info.ModTime()
		}
		c.bytes += st.Blocks * 512
		return nil
	})
	c.age = time.Since(youngest)
	return c
}

// largestReport bounds a report that takeBack reads.
const largestReport = 16 << 20

// takeBack makes files in the kept reports root's own that an older version gave to their users, who read them by an
// ACL from now on. One that is no report any more, or too large, is removed.
func (f Finisher) takeBack() (failed error) {
	if os.Geteuid() != 0 {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(f.Spool, reportsDir, "*", "*"))
	if err != nil {
		return err
	}
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil {
			continue
		}
		st, ok := info.Sys().(*syscall.Stat_t)
		if !ok || st.Uid == 0 {
			continue
		}
		text, _, err := job.ReadPlain(path, largestReport)
		if err == nil && !jobreport.Mark(text[:min(len(text), 1024)]) {
			err = errors.New("it is no report")
		}
		if err != nil {
			f.Log("removed %s, which belongs to uid %d: %v", path, st.Uid, job.Cause(err))
			failed = errors.Join(failed, os.Remove(path))
			continue
		}
		if err := job.Replace(path, text, 0o600, false); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		failed = errors.Join(failed, acl.Allow(path, int(st.Uid), acl.Read))
	}
	return failed
}
