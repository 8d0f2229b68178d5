package perf

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Opener is perf_event_open(2). Tests put their own in its place.
type Opener func(attr *unix.PerfEventAttr, pid, cpu, groupFD, flags int) (fd int, err error)

// Open is the kernel's. Descriptors never pass to a child.
func Open(attr *unix.PerfEventAttr, pid, cpu, groupFD, flags int) (int, error) {
	for {
		fd, err := unix.PerfEventOpen(attr, pid, cpu, groupFD, flags|unix.PERF_FLAG_FD_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// Forbidden tells whether an error means that the kernel has the event but we
// may not have it: perf_event_paranoid, seccomp, or no perf events at all.
func Forbidden(err error) bool {
	return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS)
}

// Absent tells whether an error means that this machine has no such event.
func Absent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENODEV)
}

// reason says in words why an event was not opened.
func reason(err error) string {
	switch {
	case Absent(err):
		return "this machine has no such event"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		return "not permitted"
	case errors.Is(err, unix.EINVAL):
		return "does not fit into the group"
	}
	return err.Error()
}

// RaiseFileLimit lets the process open as many descriptors as the node's CPUs
// need: nine events on 128 CPUs are more than the usual 1024.
func RaiseFileLimit(want uint64) error {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return fmt.Errorf("read limit of open files: %w", err)
	}
	if lim.Cur >= want {
		return nil
	}
	hard := lim.Max
	lim.Cur, lim.Max = want, max(want, hard)
	if unix.Setrlimit(unix.RLIMIT_NOFILE, &lim) == nil {
		return nil
	}
	lim.Cur, lim.Max = min(want, hard), hard
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return fmt.Errorf("raise limit of open files to %d: %w", lim.Cur, err)
	}
	return nil
}
