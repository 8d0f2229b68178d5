package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"jobgait/agent/job"
)

var errNoOutput = errors.New("cannot write to \"-\": name a file, such as /dev/stdout")

// writeFile writes a file completely before it appears: under a temporary name beside its place, then renamed.
// An existing terminal or pipe is written to directly. A new file has the mode that the umask gives, one that
// is replaced keeps its mode. A link of the caller's or root's is followed; one of another account is refused.
func writeFile(path string, draw func(io.Writer) error) (err error) {
	if path == "-" { // for input files "-" is standard input; a file of that name is a mistake
		return usageError{errNoOutput}
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, err)
		}
	}()
	if !isStream(path) {
		if path, err = followOwnLinks(path); err != nil {
			return err
		}
	}
	if asItIs(path) {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		return draw(f)
	}
	dir, err := openWithoutLinks(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(dir) }()
	return replaceIn(dir, filepath.Base(path), draw)
}

// maxLinks bounds how many links a path may lead through, as the kernel does.
const maxLinks = 40

var errForeignLink = errors.New("the path is a link of another account: name the file itself")

// followOwnLinks is the absolute path with its links followed. A last element that does not exist stays.
func followOwnLinks(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	for range maxLinks {
		next, err := followFirst(path)
		if err != nil || next == path {
			return path, err
		}
		path = next
	}
	return "", unix.ELOOP
}

// followFirst replaces the first link in an absolute path by what it leads to.
func followFirst(path string) (string, error) {
	at := "/"
	elements := strings.Split(strings.Trim(path, "/"), "/")
	for i, name := range elements {
		dir := at
		at = filepath.Join(dir, name)
		var st unix.Stat_t
		err := unix.Lstat(at, &st)
		if errors.Is(err, unix.ENOENT) && i == len(elements)-1 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		if st.Mode&unix.S_IFMT != unix.S_IFLNK {
			continue
		}
		if !trusted(st.Uid, dir, i == len(elements)-1) {
			return "", errForeignLink
		}
		to, err := os.Readlink(at)
		if err != nil {
			return "", err
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		return filepath.Join(append([]string{to}, elements[i+1:]...)...), nil
	}
	return path, nil
}

// trusted says whether a link of an account is followed: always the caller's own and root's; of others only one to a
// directory, where the caller is not root, and not where everybody can make links.
func trusted(owner uint32, dir string, last bool) bool {
	me := uint32(os.Geteuid())
	if owner == me || owner == 0 {
		return true
	}
	var st unix.Stat_t
	return !last && me != 0 && unix.Stat(dir, &st) == nil && st.Mode&0o002 == 0
}

// openWithoutLinks opens a directory whose path contains no link, so that no link can be exchanged meanwhile.
func openWithoutLinks(dir string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, dir, &how)
	if errors.Is(err, unix.ENOSYS) { // Linux before 5.6
		return unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	return fd, err
}

// replaceIn writes a new file in a directory and gives it the name.
func replaceIn(dir int, name string, draw func(io.Writer) error) (err error) {
	var old unix.Stat_t
	replaced := unix.Fstatat(dir, name, &old, unix.AT_SYMLINK_NOFOLLOW) == nil
	mode := uint32(0o666)
	if replaced {
		mode = 0o600
	}
	temporary := ".jobgait-" + rand.Text()
	fd, err := unix.Openat(dir, temporary, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), temporary)
	defer func() {
		if err != nil {
			_ = unix.Unlinkat(dir, temporary, 0)
		}
	}()
	if err = draw(f); err == nil && replaced {
		err = f.Chmod(fs.FileMode(old.Mode & 0o777))
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return job.Cause(err)
	}
	return unix.Renameat(dir, temporary, dir, name)
}

// asItIs is whether a path is written to where it is: a terminal, a pipe, and
// /dev/stdout, which may lead to an ordinary file. What is moved to /dev would
// replace the link there.
func asItIs(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil
	}
	return isStream(path)
}

// isStream is whether a path names a stream of this process.
func isStream(path string) bool {
	return slices.ContainsFunc([]string{"/dev/std", "/dev/fd/", "/proc/"}, func(p string) bool {
		return strings.HasPrefix(filepath.Clean(path), p)
	})
}
