package cgroup

import (
	"jobgait/agent/rawcall"

	"golang.org/x/sys/unix"
)

// watch reports created and removed directories through inotify(7). It is polled: the descriptor does not
// block. Without inotify it reports nothing.
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

// clear forgets all watches, so that every directory is watched again. A removed directory loses its watch; the
// kernel returns the existing watch of a directory that still has one.
func (w *watch) clear() { clear(w.known) }

// changed reports whether any event arrived since the last call. Events that do not fit into one read are left
// for the next call.
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
