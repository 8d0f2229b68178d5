package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
	"jobgait/reports"
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
	text, owner, err := readReport(path)
	if errors.Is(err, fs.ErrNotExist) {
		return summary.Summary{}, false
	}
	var s summary.Summary
	kind := errUnreadable
	if errors.Is(err, errTooLarge) {
		kind = errTooLarge
	}
	if err == nil {
		kind = summary.ErrDamaged
		s, err = reports.Read(text, i.now)
		if errors.Is(err, summary.ErrNewer) {
			kind = summary.ErrNewer
		}
	}
	if err == nil {
		kind = errOthers
		s.Job.UID, err = i.owners.uid(s.Job.User, owner)
	}
	if err != nil {
		i.refuse(path, kind, err)
		return s, false
	}
	return s, true
}

// readReport returns the text of a regular file, and whose it is.
func readReport(path string) (text []byte, owner int, err error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, 0, &fs.PathError{Op: "open", Path: filepath.Base(path), Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || !info.Mode().IsRegular() {
		return nil, 0, errors.New("is no file")
	}
	text, err = io.ReadAll(io.LimitReader(f, maxReport+1))
	if err == nil && len(text) > maxReport {
		err = errTooLarge
	}
	return text, int(st.Uid), err
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
