package cgroup

import (
	"jobgait/agent/rawcall"

	"golang.org/x/sys/unix"
)

// watch reports created and removed directories through inotify(7). It is polled: the descriptor does not
// block. Without inotify it reports nothing.
type watch struct {
	fd      int
	watched map[string]int32
	buf     [4096]byte
}

// newWatch returns a watch; it reports nothing if inotify is unavailable.
func newWatch() *watch {
	w := &watch{fd: -1, watched: map[string]int32{}}
	if fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK); err == nil {
		w.fd = fd
	}
	return w
}

// add watches a directory, and reports whether it exists. Without inotify it returns false.
func (w *watch) add(dir string) bool {
	if w.fd < 0 {
		return false
	}
	if _, ok := w.watched[dir]; ok {
		return true
	}
	wd, err := unix.InotifyAddWatch(w.fd, dir,
		unix.IN_CREATE|unix.IN_DELETE|unix.IN_MOVED_TO|unix.IN_MOVED_FROM|unix.IN_DELETE_SELF|unix.IN_ONLYDIR)
	if err != nil {
		return false
	}
	w.watched[dir] = int32(wd)
	return true
}

// clear forgets all watches, so that every directory is watched again. A removed directory loses its watch; the
// kernel returns the existing watch of a directory that still has one.
func (w *watch) clear() { clear(w.watched) }

// changed reports whether any event arrived since the last call. One call reads the event buffer at most 64
// times; remaining events are left for the next call.
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

// close closes the inotify descriptor.
func (w *watch) close() error {
	if w.fd < 0 {
		return nil
	}
	fd := w.fd
	w.fd = -1
	return unix.Close(fd)
}
