// Package perf counts on every CPU with groups of perf events whose leader is a
// timer: cpu-clock with a sample period of one step of the grid, so that the
// kernel writes a record of all counts into a ring in shared memory every 5 ms,
// on time even when the node is overloaded, and the agent wakes once a second.
// Event names come in; readings and a list of what could be counted go out.
// See perf_event_open(2).
//
// What was found by test, and is not in the manual page:
//
//   - All members of a group need the same clock, else EINVAL. CLOCK_MONOTONIC
//     is the one that is safe in an NMI and comparable between CPUs.
//   - The leader is opened disabled, the siblings are added, and the group is
//     enabled as a group. A sibling added to a running leader may stay 0 for
//     ever, without an error.
//   - LOST = 0 does not mean complete: a late timer skips periods silently, and
//     an idle virtual CPU may write nothing at all. So every drain also reads
//     every group once, and gaps are known from the times.
//   - Counting cpu-clock or task-clock of a whole CPU gives wall time, not busy
//     time: the leader's own count is not a column.
//
// It refuses to scale silently: a group that did not always run is noted.
package perf

import (
	"unsafe"

	perfutils "github.com/hodgesds/perf-utils"
	"golang.org/x/sys/unix"
)

// Event is one thing that can be counted on a CPU.
type Event struct {
	Name string // column name
	Unit string
	PMU  string
	Attr unix.PerfEventAttr // type and config only
}

// Hardware tells whether the event needs a PMU.
func (e Event) Hardware() bool { return e.Attr.Type == unix.PERF_TYPE_HARDWARE }

// Events are the siblings of the leader, in the order of the columns.
func Events() []Event {
	return []Event{
		{"instructions", "instructions", "cpu", perfutils.CPUInstructionsEventAttr()},
		{"cycles", "cycles", "cpu", perfutils.CPUCyclesEventAttr()},
		{"context_switches", "switches", "software", perfutils.ContextSwitchesEventAttr()},
		{"page_faults", "faults", "software", perfutils.PageFaultsEventAttr()},
		{"cpu_migrations", "migrations", "software", perfutils.CPUMigrationsEventAttr()},
	}
}

const groupFormat = unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING

// Timer returns the attributes of a disabled cpu-clock event that writes a
// record of sampleType every period, woken for by nobody: the agent comes by
// itself.
func Timer(periodNS int64, sampleType uint64) unix.PerfEventAttr {
	a := clocked(perfutils.CPUClockEventAttr())
	a.Sample = uint64(periodNS)
	a.Sample_type = sampleType
	a.Bits |= unix.PerfBitDisabled | unix.PerfBitWatermark
	a.Wakeup = 1 << 30
	return a
}

func leader(periodNS int64) unix.PerfEventAttr {
	a := Timer(periodNS, unix.PERF_SAMPLE_READ|unix.PERF_SAMPLE_TIME)
	a.Read_format = groupFormat
	return a
}

func sibling(e Event) unix.PerfEventAttr {
	a := clocked(e.Attr)
	a.Read_format = groupFormat
	return a
}

// clocked keeps type and config and sets the rest to what every event has. The
// library's attributes exclude the kernel, which is not wanted here.
func clocked(from unix.PerfEventAttr) unix.PerfEventAttr {
	a := unix.PerfEventAttr{Type: from.Type, Config: from.Config}
	a.Size = uint32(unsafe.Sizeof(a))
	a.Bits = unix.PerfBitExcludeHv | unix.PerfBitUseClockID
	a.Clockid = unix.CLOCK_MONOTONIC
	return a
}
