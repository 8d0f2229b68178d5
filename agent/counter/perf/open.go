package perf

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Opener is the type of perf_event_open(2); tests use other functions.
type Opener func(attr *unix.PerfEventAttr, pid, cpu, groupFD, flags int) (fd int, err error)

// Open calls perf_event_open(2), with close-on-exec set.
func Open(attr *unix.PerfEventAttr, pid, cpu, groupFD, flags int) (int, error) {
	for {
		fd, err := unix.PerfEventOpen(attr, pid, cpu, groupFD, flags|unix.PERF_FLAG_FD_CLOEXEC)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// RaiseFileLimit raises the limit of open files to want, as far as permitted, and the hard limit too if this
// process may do that: nine events on 128 CPUs need more than the usual 1024.
func RaiseFileLimit(want uint64) error {
	var lim unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); err != nil {
		return fmt.Errorf("read the limit of open files (RLIMIT_NOFILE): %w: it is not raised", err)
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
		return fmt.Errorf("raise the limit of open files (RLIMIT_NOFILE) to %d: %w: counters that find no free descriptor "+
			"are left out: raise LimitNOFILE= in the unit of the scheduler's daemon", lim.Cur, err)
	}
	return nil
}
