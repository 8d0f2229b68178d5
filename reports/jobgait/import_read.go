package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"strconv"
	"syscall"

	jobreport "jobgait/reports/job"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
)

// Why a file is refused.
var (
	errUnreadable = errors.New("cannot be read")
	errTooLarge   = errors.New("larger than any report")
	errOthers     = errors.New("says it is of another user than its file")
	errNotRoots   = errors.New("root reads only directories that are root's alone")
)

// maxReport bounds a report's file: one of 10,000 nodes has 6 MB.
const maxReport = 64 << 20

// enter is whether a directory is looked into.
func (i *importing) enter(path string, top bool) error {
	err := job.Ours(path)
	switch {
	case os.Geteuid() != 0 || err == nil || errors.Is(err, fs.ErrNotExist) && !top:
		return nil
	case top:
		return fmt.Errorf("import as the history's account, or from a copy: %w", err)
	}
	i.refuse(path, errNotRoots, err)
	return fs.SkipDir
}

// read reads the run of one report; false if it is refused, or gone.
func (i *importing) read(path string) (summary.Summary, bool) {
	text, info, err := job.ReadPlain(path, maxReport)
	if err = job.Cause(err); errors.Is(err, fs.ErrNotExist) { // the path is told beside it
		return summary.Summary{}, false
	}
	var s summary.Summary
	kind := errUnreadable
	if errors.Is(err, job.ErrTooLarge) {
		kind = errTooLarge
	}
	if err == nil {
		kind = summary.ErrDamaged
		s, err = jobreport.Read(text, i.now)
		if errors.Is(err, summary.ErrNewer) {
			kind = summary.ErrNewer
		}
	}
	if err == nil {
		kind = errOthers
		s.Job.UID, err = i.owners.uid(s.Job.User, int(info.Sys().(*syscall.Stat_t).Uid))
	}
	if err != nil {
		i.refuse(path, kind, err)
		return s, false
	}
	return s, true
}

// owners are the uids of names, -1 of those that nobody here has.
type owners map[string]int

// uid is the uid of a report's user, given whose file it is: whoever is not ours can
// have written into his file what he likes, but not for somebody else.
func (o owners) uid(name string, owner int) (int, error) {
	uid, known := o[name]
	if !known {
		uid = -1
		text := name
		if account, err := user.Lookup(name); err == nil {
			text = account.Uid
		}
		if n, err := strconv.ParseUint(text, 10, 32); err == nil {
			uid = int(n)
		}
		o[name] = uid
	}
	switch trusted := owner == 0 || owner == os.Geteuid(); {
	case trusted:
		return uid, nil
	case uid >= 0 && uid != owner:
		return -1, fmt.Errorf("the file is of uid %d, %.40q has %d", owner, name, uid)
	}
	return owner, nil
}
