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

// writeAll writes all files into dir/sub, or none: they are written under temporary names and renamed when all
// are complete; only a rename that fails leaves some of them. It creates sub if need be.
func writeAll(dir string, req Request) error {
	sub, files, mode := req.Sub, req.Files, req.mode()
	if !filepath.IsAbs(dir) {
		return errors.New("its path is relative, want an absolute path")
	}
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(fd) }()
	if sub != "" {
		inner, err := openSub(fd, sub, mode)
		if err != nil {
			return fmt.Errorf("make the directory %s: %w", sub, err)
		}
		defer func() { _ = unix.Close(inner) }()
		fd = inner
	}
	for _, f := range files {
		if err := checkReplaceable(fd, f.Name); err != nil {
			return fmt.Errorf("write %s: %w", f.Name, err)
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
		if err := writeAndSync(file, f.Data); err != nil {
			return err
		}
	}
	for i, f := range files {
		if err := unix.Renameat(fd, temporary[i], fd, f.Name); err != nil {
			return fmt.Errorf("rename the temporary file to %s: %w", f.Name, err)
		}
	}
	return nil
}

// openSub creates the directory sub in the directory with the descriptor fd, if it does not exist, and returns a
// descriptor of it. It follows no link. Those who may read files of the mode may enter a new directory.
func openSub(fd int, sub string, mode os.FileMode) (int, error) {
	if err := unix.Mkdirat(fd, sub, uint32(mode|mode>>2&0o111)); err != nil && !errors.Is(err, unix.EEXIST) {
		return -1, err
	}
	return unix.Openat(fd, sub, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
}

// checkReplaceable returns nil if name does not exist in fd or is a report of jobgait. A link, pipe, device or foreign
// file is an error: it is not opened for writing, not followed and not removed.
func checkReplaceable(fd int, name string) error {
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

// writeAndSync writes the data, syncs it to disk and closes the file.
func writeAndSync(file *os.File, data []byte) error {
	_, err := file.Write(data)
	err = errors.Join(err, file.Sync())
	return errors.Join(err, file.Close())
}

// makeTemporary creates a hidden file in the directory fd for the data of a report's file. Its name is derived from
// that file, so that the next try replaces what a killed one has left. If such a file is younger than abandonedAge,
// another try may be running, and the new file gets a random name.
func makeTemporary(fd int, name string, shared bool) (string, *os.File, error) {
	temporary := "." + name + ".new"
	n, err := create(fd, temporary, shared)
	var st unix.Stat_t
	if errors.Is(err, unix.EEXIST) && unix.Fstatat(fd, temporary, &st, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		st.Mode&unix.S_IFMT == unix.S_IFREG && time.Since(time.Unix(st.Mtim.Unix())) > abandonedAge {
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

// abandonedAge is the age at which a temporary file has no writer any more: a child is abandoned after 20 s, a
// worker after minutes.
const abandonedAge = 10 * time.Minute

// create creates a new file, for the owner only or, if shared is set, with the mode that the umask permits. An
// existing file is an error.
func create(fd int, name string, shared bool) (int, error) {
	mode := uint32(0o600)
	if shared {
		mode = 0o666
	}
	return unix.Openat(fd, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC,
		mode)
}
