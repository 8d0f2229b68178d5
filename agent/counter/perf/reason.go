package perf

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
)

// Reasons why an event that the machine has is not counted.
const (
	reasonTooFewCounters = "no room: the PMU has too few counters for all events in one group"
	reasonCountersInUse  = "no room: other programs hold counters of the PMU"
	reasonWatchdog       = "no room: the NMI watchdog holds one counter of the PMU: set kernel.nmi_watchdog to 0"
	reasonCountsNothing  = "it can be opened, but counts nothing"
	reasonUnknownCache   = "which cache this vendor's CPUs mean by it is not known"
)

// IsForbidden reports whether an error means that this process may not open the event: because of
// perf_event_paranoid or seccomp, or because the kernel has no perf events.
func IsForbidden(err error) bool {
	return errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSYS)
}

// IsAbsent reports whether an error means that this machine has no such event.
func IsAbsent(err error) bool {
	return errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENODEV)
}

// absentReason returns in words why an event could not be opened on a whole CPU, and what would permit it.
func absentReason(r kernel.Roots, err error) string {
	switch {
	case errors.Is(err, errNoTraceFS):
		return "tracefs is not mounted: the tracepoint has no id (root may mount it at /sys/kernel/tracing)"
	case errors.Is(err, errNoTracepoint), errors.Is(err, errTraceID):
		return err.Error()
	case IsAbsent(err):
		return "this machine has no such event"
	case IsForbidden(err):
		return notPermitted(r, err)
	case errors.Is(err, unix.EINVAL):
		return "the kernel refuses it in a group that a timer leads"
	}
	return err.Error()
}

// notPermitted returns in words why an event is not permitted, and which setting or privilege would permit it.
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

// Refusal returns in words why the kernel does not permit an event, and in cure what would, "" if unknown.
// enough is the level of perf_event_paranoid at which all users are permitted: 0 for whole CPUs, 2 for a
// program's own processes. At Debian's levels 3 and 4 CAP_PERFMON does not suffice (seen with its Linux 6.1).
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
