package cgroup

import (
	"jobgait/agent/rawcall"

	"golang.org/x/sys/unix"
)

// watch is told by inotify(7) when directories come and go. It is polled: the
// descriptor does not block. Without inotify nothing is ever told.
type watch struct {
	fd    int
	known map[string]int32
	buf   [4096]byte
}

func newWatch() *watch {
	w := &watch{fd: -1, known: map[string]int32{}}
	if fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK); err == nil {
		w.fd = fd
	}
	return w
}

// add watches a directory, and tells whether it is there.
func (w *watch) add(dir string) bool {
	if w.fd < 0 {
		return false
	}
	if _, ok := w.known[dir]; ok {
		return true
	}
	wd, err := unix.InotifyAddWatch(w.fd, dir,
		unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_TO|unix.IN_MOVED_FROM|unix.IN_DELETE_SELF|unix.IN_ONLYDIR)
	if err != nil {
		return false
	}
	w.known[dir] = int32(wd)
	return true
}

// clear makes every directory be watched anew: a removed one took its watch
// with it, and the kernel gives a directory that still is watched its old one.
func (w *watch) clear() { clear(w.known) }

// changed tells whether anything was told since the last call. What is told faster
// than it is read is left for the next.
func (w *watch) changed() bool {
	any := false
	for i := 0; i < 64 && w.fd >= 0; i++ {
		n, err := rawcall.Read(w.fd, w.buf[:])
		if err != nil || n <= 0 {
			break
		}
		any = true
	}
	return any
}

func (w *watch) close() error {
	if w.fd < 0 {
		return nil
	}
	fd := w.fd
	w.fd = -1
	return unix.Close(fd)
}
