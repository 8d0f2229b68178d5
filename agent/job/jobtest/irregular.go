package jobtest

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Irregular are the kinds of files that another process can put in the place of a regular one, each with a function
// that does so. Opening the pipe would wait for its other end, the directory cannot be replaced by a rename, and what
// is read from or written to the link's target would be another file's.
func Irregular() map[string]func(path string) error {
	return map[string]func(path string) error{
		"pipe": func(path string) error { return unix.Mkfifo(path, 0o600) },
		"directory": func(path string) error {
			return errors.Join(os.Mkdir(path, 0o700), os.WriteFile(filepath.Join(path, "content"), nil, 0o600))
		},
		"link": func(path string) error { return os.Symlink(path+".target", path) },
		"link to a pipe": func(path string) error {
			return errors.Join(os.RemoveAll(path+".pipe"), unix.Mkfifo(path+".pipe", 0o600), os.Symlink(path+".pipe", path))
		},
		"link to a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"socket": func(path string) error {
			fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				return err
			}
			defer func() { _ = unix.Close(fd) }()
			dir, err := os.Open(filepath.Dir(path)) // the path of a socket has at most 107 bytes
			if err != nil {
				return err
			}
			defer func() { _ = dir.Close() }()
			in := filepath.Join("/proc/self/fd", strconv.Itoa(int(dir.Fd())))
			return unix.Bind(fd, &unix.SockaddrUnix{Name: filepath.Join(in, filepath.Base(path))})
		},
	}
}

// ReplaceByIrregular removes what is at path and puts an irregular file there.
func ReplaceByIrregular(t testing.TB, path string, create func(path string) error) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700), create(path)); err != nil {
		t.Fatal(err)
	}
}
