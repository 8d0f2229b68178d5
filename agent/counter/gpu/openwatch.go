package gpu

import (
	"golang.org/x/sys/unix"

	"jobgait/agent/rawcall"
)

// openWatch reports through inotify(7) that some process has opened one of the watched device files. It is polled:
// the descriptor does not block. A container may have device files of its own, whose opens it does not report, so
// the absence of a report proves nothing.
type openWatch struct {
	fd  int
	buf [4096]byte
}

// watchOpens watches device files, each as far as that is permitted. It returns nil if none can be watched.
func watchOpens(files []string) *openWatch {
	if len(files) == 0 {
		return nil
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil
	}
	watched := 0
	for _, file := range files {
		if _, err := unix.InotifyAddWatch(fd, file, unix.IN_OPEN); err == nil {
			watched++
		}
	}
	if watched == 0 {
		_ = unix.Close(fd)
		return nil
	}
	return &openWatch{fd: fd}
}

// opened reports whether a file was opened since the last call. One call reads at most 64 buffers of events;
// remaining events are left for the next call. nil reports false.
func (w *openWatch) opened() bool {
	any := false
	for i := 0; w != nil && w.fd >= 0 && i < 64; i++ {
		n, err := rawcall.Read(w.fd, w.buf[:])
		if err != nil || n <= 0 {
			break
		}
		any = true
	}
	return any
}

// close ends the watch; nil and a closed watch are ignored.
func (w *openWatch) close() error {
	if w == nil || w.fd < 0 {
		return nil
	}
	fd := w.fd
	w.fd = -1
	return unix.Close(fd)
}
