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

// rememberFor is how long a finished run whose files are not kept is remembered, so that a repeated Epilog does
// not mistake its job for a new one, and the node can adopt the run if its collecting node has died.
const rememberFor = adoptAfter + 24*time.Hour

// removingPrefix is the prefix of directories that are being removed. They are renamed first, so that half of a
// directory is never read as a run.
const removingPrefix = ".gone-"

// unreadableAge is the age at which a directory without a readable run is removed: its Prolog has ended long
// before.
const unreadableAge = time.Hour

// abandonAfter is how long after its end an unfinished run is kept and retried. Most wait for a history or a
// shared file system that is being repaired.
const abandonAfter = 30 * 24 * time.Hour

// trim removes directories whose removal has begun or that a crash left unreadable, finished runs that need not be
// remembered, and runs that were not finished in abandonAfter. Then it removes finished runs and kept reports, oldest
// first, until the spool is within its bounds. If that is not enough, it removes profiles whose record is made, then
// ended runs, each with a line in the log, because a full disk harms more than a missing report. A run that goes on is
// never removed. It returns how many finished runs and reports it removed for room, and the bytes left.
func (f Finisher) trim() (removed int, bytes int64, failed error) {
	entries, err := os.ReadDir(f.Spool)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return 0, 0, fmt.Errorf("keep the spool within spool.max_gb: %w: nothing is removed, it may exceed its limit", err)
	}
	var finished, ended []spoolEntry
	var total usage
	for _, e := range entries {
		c, worth, err := f.examine(e)
		failed = errors.Join(failed, err)
		total = total.plus(c.usage)
		switch worth {
		case removeForRoom:
			finished = append(finished, c)
		case removeIfFull:
			ended = append(ended, c)
		}
	}
	beside, err := f.otherFiles()
	failed = errors.Join(failed, err)
	for _, c := range beside {
		finished, total = append(finished, c), total.plus(c.usage)
	}
	removed, over, err := f.makeRoom(finished, ended, total.minus(f.bounds()))
	return removed, over.plus(f.bounds()).bytes, errors.Join(failed, err)
}

// examine measures one entry of the spool and returns how long it is kept. It removes an entry that need not
// stay, and retires closed runs.
func (f Finisher) examine(e fs.DirEntry) (spoolEntry, retention, error) {
	path := filepath.Join(f.Spool, e.Name())
	if e.Name() == reportsDir || e.Name() == retiredDir || e.Name() == deliveryLocksDir {
		return spoolEntry{}, keepAlways, nil // otherFiles lists each file in them
	}
	var failed error
	removing := strings.HasPrefix(e.Name(), removingPrefix)
	// A closed run is an older version's, or that of a killed worker.
	if dir := job.RunDir(path); e.IsDir() && !removing && Done(dir) && unlocked(dir) {
		failed = f.Retire(dir)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			if errors.Is(failed, fs.ErrNotExist) {
				failed = nil // another sweep has retired it meanwhile
			}
			return spoolEntry{}, removeNow, failed
		}
	}
	c := measure(path)
	keep := f.retentionOf(e, c)
	if !e.IsDir() {
		return c, keepAlways, failed
	}
	if keep == removeNow {
		return spoolEntry{}, removeNow, errors.Join(failed, discard(path))
	}
	c.runs = 1
	return c, keep, failed
}

// otherFiles measures what the spool holds beside run directories: kept reports and files of retired runs. It
// first repairs owners of reports and prunes delivery locks.
func (f Finisher) otherFiles() (list []spoolEntry, failed error) {
	failed = errors.Join(f.reclaimReports(), f.pruneDeliveryLocks())
	kept, err := filepath.Glob(filepath.Join(f.Spool, reportsDir, "*"))
	failed = errors.Join(failed, err)
	for _, path := range kept {
		c := measure(path)
		c.runs = 1
		list = append(list, c)
	}
	lines, err := f.pruneRetired()
	return append(list, lines...), errors.Join(failed, err)
}

// oldestFirst sorts candidates by descending age.
func oldestFirst(list []spoolEntry) {
	slices.SortFunc(list, func(a, b spoolEntry) int { return cmp.Compare(b.age, a.age) })
}

// makeRoom removes finished runs, then profiles, then ended runs, oldest first, until the spool is within its bounds.
// over and left say by how much the spool exceeds them before and after; a negative amount is free room. removed counts
// the finished runs only.
func (f Finisher) makeRoom(finished, ended []spoolEntry, over usage) (removed int, left usage, failed error) {
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
	for _, drop := range []func(spoolEntry, usage) (usage, error){f.dropProfile, f.dropRun} {
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

// dropProfile removes the profile of an ended run whose record is made, and returns what that freed. It removes
// nothing unless the spool has too many bytes and no process holds the run's lock. A later sweep finishes the
// run from the record.
func (f Finisher) dropProfile(c spoolEntry, over usage) (usage, error) {
	dir := job.RunDir(c.path)
	if over.bytes <= 0 || !fileExists(dir, recordFile) || !unlocked(dir) {
		return usage{}, nil
	}
	freed := measure(dir.ProfilePath()).usage
	if freed.files == 0 {
		return usage{}, nil
	}
	f.Log("removed the profile of %s: the spool is larger than spool.max_gb: a later sweep finishes the run without it",
		filepath.Base(c.path))
	return freed, os.Remove(dir.ProfilePath())
}

// dropRun removes the directory of an ended, unfinished run, unless a worker holds its lock, and returns what
// that freed.
func (f Finisher) dropRun(c spoolEntry, over usage) (usage, error) {
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
	f.Log("removed %s, which is not finished, so its report may be missing: the spool is larger than %s",
		filepath.Base(c.path), bound)
	return freed, discard(c.path)
}

// retention says how long an entry of the spool is kept.
type retention int

const (
	removeNow retention = iota
	removeForRoom
	removeIfFull
	keepAlways
)

// retentionOf returns how long an entry of the spool is kept. It removes what has removingPrefix, unlocked directories
// that have had no readable run for unreadableAge, and finished runs after rememberFor if spool.keep is "none". Other
// finished runs stay until room is needed. Files, and younger unreadable directories, always stay. For unfinished runs
// see retentionOfUnfinished.
func (f Finisher) retentionOf(e fs.DirEntry, c spoolEntry) retention {
	dir := job.RunDir(c.path)
	_, unreadable := dir.ReadRun()
	switch {
	case strings.HasPrefix(e.Name(), removingPrefix):
		return removeNow
	case !e.IsDir():
		return keepAlways
	case unreadable != nil && c.age > unreadableAge && unlocked(dir):
		return removeNow
	case unreadable != nil:
		return keepAlways
	case !Done(dir):
		return f.retentionOfUnfinished(dir)
	case f.Config.Spool.Keep == "none" && c.age > rememberFor:
		return removeNow
	}
	return removeForRoom
}

// retentionOfUnfinished returns how long an unfinished run is kept: always while it goes on, until the spool is
// full once it has ended, and not at all abandonAfter its end. Its age is not that of its files, because each
// try writes one.
func (f Finisher) retentionOfUnfinished(dir job.RunDir) retention {
	end, err := ReadEnd(dir)
	switch {
	case err != nil:
		return keepAlways
	case time.Since(time.Unix(int64(end.Real), 0)) > abandonAfter && unlocked(dir):
		f.Log("removed %s, which could not be finished in %d days: its report may be missing",
			filepath.Base(string(dir)), int(abandonAfter.Hours()/24))
		return removeNow
	}
	return removeIfFull
}

// unlocked reports whether no process holds the lock of a directory; true also if the lock file cannot be
// opened.
func unlocked(dir job.RunDir) bool {
	lock, err := dir.TryLock()
	if err != nil {
		return !errors.Is(err, job.ErrLocked)
	}
	_ = lock.Close()
	return true
}

// removalRetries is how often a removal is tried again: another sweep may have been making its lock file in it.
const removalRetries = 3

// discard removes a directory: it renames it to removingPrefix, which is atomic, and then deletes it. A directory that
// another sweep has removed meanwhile is no error.
func discard(path string) error {
	gone := path
	if base := filepath.Base(path); !strings.HasPrefix(base, removingPrefix) {
		gone = filepath.Join(filepath.Dir(path), removingPrefix+base)
		err := os.Rename(path, gone)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("remove %s: %w: it stays in the spool", path, err)
		}
	}
	err := os.RemoveAll(gone)
	for try := 0; err != nil && try < removalRetries; try++ {
		err = os.RemoveAll(gone)
	}
	if err != nil {
		return fmt.Errorf("remove %s: %w: it stays in the spool", path, err)
	}
	return nil
}

// largestReport limits the size, in bytes, of a report that reclaimReports reads.
const largestReport = 16 << 20

// reclaimReports makes root the owner of kept reports that an older version gave to their users, and lets the
// users read them by an ACL. Of the files that do not belong to root it removes those that are not reports or
// are too large. It does nothing unless this process is root.
func (f Finisher) reclaimReports() (failed error) {
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
			err = errors.New("the file is not a report of jobgait")
		}
		if err != nil {
			f.Log("removed the file %s of uid %d from the directory of kept reports: %v", path, st.Uid,
				job.Cause(err))
			failed = errors.Join(failed, os.Remove(path))
			continue
		}
		if err := job.Replace(path, text, 0o600, false); err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		if err := acl.Allow(path, int(st.Uid), acl.Read); err != nil {
			failed = errors.Join(failed, fmt.Errorf("uid %d cannot read its report %s: %w", st.Uid, path, err))
		}
	}
	return failed
}
