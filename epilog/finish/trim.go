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

// abandonAfter is how long a run that has ended is tried to be finished. Most wait
// for a history or a shared file system that somebody is mending.
const abandonAfter = 30 * 24 * time.Hour

// trim removes what need not stay: directories on their way out, those that a crash left unreadable, finished runs that
// are not kept after memory, runs that could not be finished in abandonAfter, and then finished runs and undelivered
// reports, oldest first, until the spool is within its bounds (blocks, inodes, number of runs). Where that is not
// enough (a history that is locked for days keeps every run of every node) the profiles go of runs whose record is
// made, then runs that have ended, each with a line in the log: a full disk of a node harms more than a report that is
// missing. A run that goes on is never removed. It returns how many finished runs and reports it removed, and the
// bytes left.
func (f Finisher) trim() (removed int, bytes int64, failed error) {
	entries, err := os.ReadDir(f.Spool)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, fmt.Errorf("keep the spool within its size: %w", err)
	}
	var finished, ended []candidate
	var total usage
	for _, e := range entries {
		c, worth, err := f.examine(e)
		failed = errors.Join(failed, err)
		total = total.plus(c.usage)
		switch worth {
		case whileRoom:
			finished = append(finished, c)
		case unlessFull:
			ended = append(ended, c)
		}
	}
	beside, err := f.besideRuns()
	failed = errors.Join(failed, err)
	for _, c := range beside {
		finished, total = append(finished, c), total.plus(c.usage)
	}
	removed, over, err := f.makeRoom(finished, ended, total.minus(f.bounds()))
	return removed, over.plus(f.bounds()).bytes, errors.Join(failed, err)
}

// examine measures one entry of the spool. What need not stay is removed and takes nothing.
func (f Finisher) examine(e fs.DirEntry) (candidate, worth, error) {
	path := filepath.Join(f.Spool, e.Name())
	if e.Name() == reportsDir || e.Name() == retiredDir || e.Name() == turnsDir {
		return candidate{}, everything, nil // besideRuns judges each file in them
	}
	var failed error
	if dir := job.RunDir(path); e.IsDir() && Done(dir) && unlocked(dir) { // an older version's, or of a killed worker
		failed = f.Retire(dir)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return candidate{}, nothing, failed
		}
	}
	c := measure(path)
	keep := f.worth(e, c)
	if !e.IsDir() {
		return c, everything, failed
	}
	if keep == nothing {
		return candidate{}, nothing, errors.Join(failed, discard(path))
	}
	c.runs = 1
	return c, keep, failed
}

// besideRuns measures the kept reports and the lines of retired runs.
func (f Finisher) besideRuns() (list []candidate, failed error) {
	failed = errors.Join(f.takeBack(), f.clearTurns())
	kept, err := filepath.Glob(filepath.Join(f.Spool, reportsDir, "*"))
	failed = errors.Join(failed, err)
	for _, path := range kept {
		c := measure(path)
		c.runs = 1
		list = append(list, c)
	}
	lines, err := f.retiredFiles()
	return append(list, lines...), errors.Join(failed, err)
}

func oldestFirst(list []candidate) {
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(b.age, a.age) })
}

// makeRoom removes what trim may until the spool is over none of its bounds. It returns by how much the spool is over
// them then; less than 0 is room.
func (f Finisher) makeRoom(finished, ended []candidate, over usage) (removed int, left usage, failed error) {
	oldestFirst(finished)
	oldestFirst(ended)
	for _, c := range finished {
		if !over.exceeded() {
			break
		}
		if !c.relieves(over) {
			continue
		}
		failed = errors.Join(failed, discard(c.path))
		over = over.minus(c.usage)
		removed++
	}
	for _, drop := range []func(candidate, usage) (usage, error){f.dropProfile, f.dropRun} {
		for _, c := range ended {
			if !over.exceeded() {
				break
			}
			freed, err := drop(c, over)
			failed = errors.Join(failed, err)
			over = over.minus(freed)
		}
	}
	return removed, over, failed
}

// dropProfile removes the profile of a run that has ended and whose record is made:
// a sweep finishes it from the record.
func (f Finisher) dropProfile(c candidate, over usage) (usage, error) {
	dir := job.RunDir(c.path)
	if over.bytes <= 0 || !exists(dir, recordFile) || !unlocked(dir) {
		return usage{}, nil
	}
	freed := measure(dir.Profile()).usage
	if freed.files == 0 {
		return usage{}, nil
	}
	f.Log("removed the profile of %s, which is not finished: the spool is larger than spool.max_gb", filepath.Base(c.path))
	return freed, os.Remove(dir.Profile())
}

// dropRun removes a run that has ended and is not finished.
func (f Finisher) dropRun(c candidate, over usage) (usage, error) {
	dir := job.RunDir(c.path)
	lock, err := dir.TryLock()
	if err != nil {
		return usage{}, nil // a worker has it
	}
	defer func() { _ = lock.Close() }()
	freed := measure(c.path).usage
	freed.runs = 1
	bound := "spool.max_gb"
	if over.bytes <= 0 {
		bound = "spool.max_runs"
	}
	f.Log("removed %s, which is not finished: the spool is larger than %s", filepath.Base(c.path), bound)
	return freed, discard(c.path)
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

// unlocked reports whether no process holds the lock of a directory.
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
			err = errors.New("it is not a report")
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
