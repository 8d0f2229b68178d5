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
// is replaced keeps its mode. It follows links owned by the caller or root, and refuses links of other
// accounts.
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
	if writtenInPlace(path) {
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

// maxLinks is the largest number of links that a path may lead through, as in the kernel.
const maxLinks = 40

var errForeignLink = errors.New("the output path is a link of another account: name the file that it leads to")

// followOwnLinks returns the absolute path with its links resolved. It fails at a link that is not trusted. A
// last element that does not exist is kept. It returns ELOOP after maxLinks links.
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

// followFirst replaces the first link in an absolute path by its target. It returns the path unchanged if it contains
// no link, and an error if the link is not trusted or an element other than the last does not exist.
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

// trusted reports whether a link in dir owned by an account is followed. Links of the caller and of root always are.
// Links of others are followed only if they lead to a directory (they are not the last element of the path), the caller
// is not root, and not everybody can create links in dir.
func trusted(owner uint32, dir string, last bool) bool {
	me := uint32(os.Geteuid())
	if owner == me || owner == 0 {
		return true
	}
	var st unix.Stat_t
	return !last && me != 0 && unix.Stat(dir, &st) == nil && st.Mode&0o002 == 0
}

// openWithoutLinks opens a directory whose path contains no links, so that no element can be replaced by a link
// meanwhile. Linux before 5.6 checks only the last element.
func openWithoutLinks(dir string) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS}
	fd, err := unix.Openat2(unix.AT_FDCWD, dir, &how)
	if errors.Is(err, unix.ENOSYS) { // Linux before 5.6
		return unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	}
	return fd, err
}

// replaceIn writes a new file in a directory and renames it to name. It keeps the mode of a file that it replaces. If
// it fails, the old file stays and the new one is removed.
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

// writtenInPlace reports whether a path is written to directly: terminals, pipes, and /dev/stdout, which may be
// a regular file. Renaming a file to /dev/stdout would replace the link there.
func writtenInPlace(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return err == nil
	}
	return isStream(path)
}

// isStream reports whether a path names a stream of this process.
func isStream(path string) bool {
	return slices.ContainsFunc([]string{"/dev/std", "/dev/fd/", "/proc/"}, func(p string) bool {
		return strings.HasPrefix(filepath.Clean(path), p)
	})
}
