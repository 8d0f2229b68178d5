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
