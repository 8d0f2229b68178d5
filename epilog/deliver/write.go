package deliver

import (
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// writeAll puts all files into dir/sub, or none: they are written under
// temporary names and renamed when all of them stand.
func writeAll(dir string, req Request) error {
	sub, files, mode := req.Sub, req.Files, req.mode()
	if !filepath.IsAbs(dir) {
		return fmt.Errorf("is not an absolute path")
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if sub != "" {
		inner, err := openSub(fd, sub, mode)
		if err != nil {
			return fmt.Errorf("directory %s: %w", sub, err)
		}
		defer func() { _ = unix.Close(inner) }()
		fd = inner
	}
	for _, f := range files {
		if err := checkFree(fd, f.Name); err != nil {
			return fmt.Errorf("%s %w", f.Name, err)
		}
	}
	temporary := make([]string, 0, len(files))
	defer func() {
		for _, t := range temporary {
			_ = unix.Unlinkat(fd, t, 0) // gone already when it was renamed
		}
	}()
	for _, f := range files {
		t, file, err := makeTemporary(fd, f.Name, req.Umask)
		if err != nil {
			return err
		}
		temporary = append(temporary, t)
		if !req.Umask {
			if err := file.Chmod(mode); err != nil {
				return errors.Join(err, file.Close())
			}
		}
		if err := fill(file, f.Data); err != nil {
			return err
		}
	}
	for i, f := range files {
		if err := unix.Renameat(fd, temporary[i], fd, f.Name); err != nil {
			return fmt.Errorf("rename to %s: %w", f.Name, err)
		}
	}
	return nil
}

// openSub makes and opens a directory in fd without following a link. Who may read files of the mode may enter.
func openSub(fd int, sub string, mode os.FileMode) (int, error) {
	if err := unix.Mkdirat(fd, sub, uint32(mode|mode>>2&0o111)); err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return unix.Openat(fd, sub, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// checkFree returns nil if name does not exist in fd or is a report of jobgait. A link, pipe, device or foreign
// file is an error: it is not opened for writing, not followed and not removed.
func checkFree(fd int, name string) error {
	var st unix.Stat_t
	err := unix.Fstatat(fd, name, &st, unix.AT_SYMLINK_NOFOLLOW)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		return errForeign
	}
	old, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	file := os.NewFile(uintptr(old), name)
	defer func() { _ = file.Close() }()
	head := make([]byte, 1024)
	n, _ := file.Read(head) // an empty or unreadable file carries no mark
	if !hasMark(head[:n]) {
		return errForeign
	}
	return nil
}

// fill writes the data and closes the file; it is on disk when it returns.
func fill(file *os.File, data []byte) error {
	_, err := file.Write(data)
	err = errors.Join(err, file.Sync())
	return errors.Join(err, file.Close())
}

// makeTemporary makes a hidden file beside the one that is meant. It is named after
// that one, so that what a kill leaves there, of a hanging file system mostly, goes
// with the next try; where another try may be at work the name is drawn.
func makeTemporary(fd int, name string, shared bool) (string, *os.File, error) {
	temporary := "." + name + ".new"
	n, err := create(fd, temporary, shared)
	var st unix.Stat_t
	if errors.Is(err, unix.EEXIST) && unix.Fstatat(fd, temporary, &st, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		st.Mode&unix.S_IFMT == unix.S_IFREG && time.Since(time.Unix(st.Mtim.Unix())) > abandoned {
		_ = unix.Unlinkat(fd, temporary, 0)
		n, err = create(fd, temporary, shared)
	}
	if errors.Is(err, unix.EEXIST) {
		temporary = "." + name + "." + rand.Text()
		n, err = create(fd, temporary, shared)
	}
	if err != nil {
		return "", nil, err
	}
	return temporary, os.NewFile(uintptr(n), temporary), nil
}

// abandoned is the age from which a temporary file has no writer any more: a child is given up after a third of
// a minute, and a worker after minutes.
const abandoned = 10 * time.Minute

// create makes a file that is not there. The mode lets the user's group read, as far
// as the directory lets it in.
// create makes a file for the owner only or, if it is shared, with the mode that the umask gives.
func create(fd int, name string, shared bool) (int, error) {
	mode := uint32(0o600)
	if shared {
		mode = 0o666
	}
	return unix.Openat(fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC,
		mode)
}
