package perf

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
)

// Why an event that the machine has is not counted.
const (
	noRoom   = "no room: the PMU has too few counters for all events in one group"
	busy     = "no room: others hold counters of the PMU"
	watchdog = "no room: the NMI watchdog holds one counter of the PMU"
	silent   = "it can be opened, but counts nothing"
	unnamed  = "which cache this vendor's CPUs mean by it is not known"
)

// Forbidden tells whether an error means that the kernel has the event but we
// may not have it: perf_event_paranoid, seccomp, or no perf events at all.
func Forbidden(err error) bool {
	return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS)
}

// Absent tells whether an error means that this machine has no such event.
func Absent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENODEV)
}

// reason says in words why an event could not be opened on a whole CPU, and
// what would help.
func reason(r Roots, err error) string {
	switch {
	case errors.Is(err, errNoTraceFS):
		return "tracefs is not mounted: the tracepoint has no id (root may mount it at /sys/kernel/tracing)"
	case errors.Is(err, errNoTracepoint), errors.Is(err, errTraceID):
		return err.Error()
	case Absent(err):
		return "this machine has no such event"
	case Forbidden(err):
		return notPermitted(r, err)
	case errors.Is(err, unix.EINVAL):
		return "the kernel refuses it in a group that a timer leads"
	}
	return err.Error()
}

// notPermitted names the sysctl or the privilege that would permit it.
func notPermitted(r Roots, err error) string {
	if errors.Is(err, unix.ENOSYS) {
		return "this kernel has no perf events"
	}
	level, ok := kernel.Paranoid(r.Proc)
	switch {
	case !ok:
		return "this kernel has no perf events"
	case level > 2:
		// Debian's levels: CAP_PERFMON alone is refused (seen on 6.1).
		return fmt.Sprintf("not permitted: kernel.perf_event_paranoid is %d; 0 or lower, root or CAP_SYS_ADMIN would permit it", level)
	case level > 0:
		return fmt.Sprintf("not permitted: kernel.perf_event_paranoid is %d; 0 or lower, root or CAP_PERFMON would permit it", level)
	}
	return "not permitted: perf_event_open is blocked, perhaps by a container or a seccomp filter"
}
