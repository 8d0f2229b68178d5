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
func reason(r kernel.Roots, err error) string {
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
func notPermitted(r kernel.Roots, err error) string {
	why, cure := Refusal(r.Proc, 0, err)
	switch {
	case why == noPerfEvents:
		return why
	case cure == "":
		return "not permitted: " + why
	}
	return "not permitted: " + why + "; " + cure
}

const noPerfEvents = "this kernel has no perf events"

// Refusal says why the kernel does not permit an event, and what would: cure is
// "" where nothing that is known would. enough is the level of
// perf_event_paranoid at which it is permitted to everybody: 0 for whole CPUs, 2
// for a program's own. At levels 3 and 4, which are Debian's own, CAP_PERFMON
// alone is refused (seen with its Linux 6.1).
func Refusal(proc string, enough int, err error) (why, cure string) {
	level, ok := kernel.Paranoid(proc)
	if !ok || errors.Is(err, unix.ENOSYS) {
		return noPerfEvents, ""
	}
	if level <= 0 {
		return "perf_event_open is blocked, perhaps by a container or a seccomp filter", ""
	}
	capability := "CAP_PERFMON"
	if level > 2 {
		capability = "CAP_SYS_ADMIN"
	}
	if level <= enough {
		enough = 0 // own processes are permitted already: the request was for more
	}
	return fmt.Sprintf("kernel.perf_event_paranoid is %d", level),
		fmt.Sprintf("set it to %d or lower, or run as root or with %s", enough, capability)
}
