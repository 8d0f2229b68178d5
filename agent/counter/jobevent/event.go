package jobevent

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// event is one event that can be counted for a job.
type event struct {
	name, unit, pmu string
	kind            uint32
	config          uint64
	// kernel is true for events that happen in the kernel only: with
	// exclude_kernel they open, and read 0.
	kernel bool
}

// events returns the events in the order of the columns. The first is the CPU time: task-clock for a task,
// cpu-clock for a cgroup, which counts on a CPU only while the cgroup runs there. It must be available; the
// others may be absent.
func events(clock uint64) []event {
	const sw, hw = unix.PERF_TYPE_SOFTWARE, unix.PERF_TYPE_HARDWARE
	return []event{
		{"task_clock", "ns", "software", sw, clock, false},
		{"context_switches", "switches", "software", sw, unix.PERF_COUNT_SW_CONTEXT_SWITCHES, true},
		{"page_faults", "faults", "software", sw, unix.PERF_COUNT_SW_PAGE_FAULTS, false},
		{"cpu_migrations", "migrations", "software", sw, unix.PERF_COUNT_SW_CPU_MIGRATIONS, true},
		{"instructions", "instructions", "cpu", hw, unix.PERF_COUNT_HW_INSTRUCTIONS, false},
		{"cycles", "cycles", "cpu", hw, unix.PERF_COUNT_HW_CPU_CYCLES, false},
	}
}

const timeFormat = unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING

// attr returns the attributes of the event, disabled. Only hardware events exclude the hypervisor, because some
// PMUs take no exclude bits.
func (e event) attr(format, bits uint64) unix.PerfEventAttr {
	a := unix.PerfEventAttr{Type: e.kind, Config: e.config, Read_format: format, Bits: unix.PerfBitDisabled | bits}
	a.Size = uint32(unsafe.Sizeof(a))
	if e.kind == unix.PERF_TYPE_HARDWARE {
		a.Bits |= unix.PerfBitExcludeHv
	}
	return a
}

// eventNames returns the names of events as a list for messages.
func eventNames(events []event) string {
	names := make([]string, len(events))
	for i, e := range events {
		names[i] = e.name
	}
	return strings.Join(names, ", ")
}

// column returns the event's column, with its rate of readings in Hz.
func (e event) column(hz float64) profile.Column {
	return profile.Column{Name: e.name, Unit: e.unit, Scope: "job", Hz: hz}
}

// source describes how the event is read or, with an error, why it is absent.
func (e event) source(scope, what string, hz float64, err error) run.CounterSource {
	s := run.CounterSource{Name: e.name, Event: e.name, PMU: e.pmu, Scope: scope, Hz: hz,
		Config: fmt.Sprintf("type %d config 0x%x, %s", e.kind, e.config, what)}
	if err != nil {
		s.Hz, s.Absent = 0, absentReason(err)
	}
	return s
}

// errInKernel is why an event that would open has no column.
var errInKernel = errors.New("the event happens in the kernel, and only user code may be counted: set " +
	"kernel.perf_event_paranoid to 1 or less")

// absentReason returns in words why an event could not be opened.
func absentReason(err error) string {
	switch {
	case perf.IsAbsent(err):
		return "this machine has no such event"
	case perf.IsForbidden(err):
		return "not permitted: it needs root, or kernel.perf_event_paranoid of at most 2 for a command and 0 for a cgroup"
	case errors.Is(err, unix.EINVAL):
		return "the kernel refuses it in one group with the other events"
	}
	return err.Error()
}

// Reading a job's events costs an interrupt on every CPU that runs it, 12-15 us
// in the virtual machine where this was measured and an estimated 1.5-4 us on
// bare metal. At most maxInterrupts of them a second are spent, 1.5 % of one
// CPU there, but readings are never further apart than 0.2 s.
const (
	maxHz, minHz  = 50.0, 5.0
	maxInterrupts = 1000.0
)

// Rate returns how many readings a second are taken if one reading causes the given number of interrupts: 50 for up
// to 20 interrupts, above that 1000 divided by the number, but at least 5.
func Rate(interrupts int) float64 {
	return min(maxHz, max(minHz, maxInterrupts/float64(max(interrupts, 1))))
}
