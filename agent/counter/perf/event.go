package perf

import (
	"fmt"
	"unsafe"

	perfutils "github.com/hodgesds/perf-utils"
	"golang.org/x/sys/unix"
)

// Event is one event that can be counted on a CPU.
type Event struct {
	Name   string // column name
	Unit   string
	Kernel string // the kernel's name of the event
	PMU    string
	Attr   unix.PerfEventAttr // type and config only
	// CPUNS is the approximate CPU time of one count, in ns, by which counts of different events are compared.
	CPUNS float64
}

// Hardware reports whether the event needs a counter of the PMU.
func (e Event) Hardware() bool { return e.Attr.Type == unix.PERF_TYPE_HARDWARE }

// tracepoint reports whether the event is a tracepoint, which costs time at each occurrence.
func (e Event) tracepoint() bool { return e.Attr.Type == unix.PERF_TYPE_TRACEPOINT }

// forPMU returns the event's attributes for a core PMU. On a hybrid machine the PMU's type is in the upper half
// of config (Linux 5.13); without it the kernel would count on one kind of core only.
func (e Event) forPMU(p corePMU, hybrid bool) unix.PerfEventAttr {
	a := e.Attr
	if hybrid && e.Hardware() {
		a.Config |= uint64(p.kind) << 32
	}
	return a
}

// configText returns the event's type and config in words, for the header of a profile.
func (e Event) configText(m machine) string {
	text := ""
	for _, p := range m.cores {
		if text != "" {
			text += " + "
		}
		a := e.forPMU(p, m.hybrid())
		text += fmt.Sprintf("type %d config %#x", a.Type, a.Config)
		if !e.Hardware() {
			break
		}
	}
	return text
}

// hardwareEvents returns the events that share the PMU's few counters, the most useful first. The last are
// dropped first if not all fit: instructions and cycles give the IPC, reference cycles the clock's speed, and
// so on.
func hardwareEvents(m machine) []Event {
	pmu := m.pmuName()
	return []Event{
		{"instructions", "instructions", "instructions", pmu, perfutils.CPUInstructionsEventAttr(), cycleNS},
		{"cycles", "cycles", "cpu-cycles", pmu, perfutils.CPUCyclesEventAttr(), cycleNS},
		{"ref_cycles", "cycles", "ref-cycles", pmu, perfutils.CPURefCyclesEventAttr(), cycleNS},
		{cacheName(m.vendor), "misses", "cache-misses", pmu, perfutils.CacheMissEventAttr(), missNS},
		{branchMisses, "misses", "branch-misses", pmu,
			unix.PerfEventAttr{Type: unix.PERF_TYPE_HARDWARE, Config: unix.PERF_COUNT_HW_BRANCH_MISSES}, missNS},
	}
}

// The CPU time of one count, in ns. A switch took 2.7 us in a virtual machine, a fault 0.5 to 1 us; a cycle is
// one at 2.5 GHz, a miss takes some ten of them.
const (
	cycleNS  = 0.4
	missNS   = 5
	switchNS = 3000
	faultNS  = 1000
)

const (
	branchMisses = "branch_misses"
	anyCache     = "cache_misses" // of a cache that has no name
)

// cacheName returns the column name of the cache that the kernel's generic cache-misses event counts on a
// vendor's CPUs: the last level on Intel, the second on AMD, the first on ARM. On other CPUs the cache is
// unknown, and the event is not counted.
func cacheName(vendor string) string {
	switch vendor {
	case "GenuineIntel":
		return "llc_misses"
	case "AuthenticAMD", "HygonGenuine":
		return "l2_misses"
	case armVendor:
		return "l1d_refills"
	}
	return anyCache
}

// softwareEvents returns the events that every kernel counts. Major faults are the page faults that waited for
// a disk.
func softwareEvents() []Event {
	return []Event{
		{"context_switches", "switches", "context-switches", "software", perfutils.ContextSwitchesEventAttr(), switchNS},
		{"page_faults", "faults", "page-faults", "software", perfutils.PageFaultsEventAttr(), faultNS},
		{"major_faults", "faults", "major-faults", "software", perfutils.MajorPageFaultsEventAttr(), faultNS},
		{"cpu_migrations", "migrations", "cpu-migrations", "software", perfutils.CPUMigrationsEventAttr(), switchNS},
	}
}

const groupFormat = unix.PERF_FORMAT_GROUP | unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING

// Timer returns the attributes of a disabled cpu-clock event that writes a record of sampleType every period,
// without a wake-up: the agent reads the ring at its own times.
func Timer(periodNS int64, sampleType uint64) unix.PerfEventAttr {
	a := withClock(perfutils.CPUClockEventAttr())
	a.Sample = uint64(periodNS)
	a.Sample_type = sampleType
	a.Bits |= unix.PerfBitDisabled | unix.PerfBitWatermark
	a.Wakeup = 1 << 30
	return a
}

// leaderAttr returns the attributes of a group's leader: a timer whose records contain all counts of the group.
func leaderAttr(periodNS int64) unix.PerfEventAttr {
	a := Timer(periodNS, unix.PERF_SAMPLE_READ|unix.PERF_SAMPLE_TIME)
	a.Read_format = groupFormat
	return a
}

// siblingAttr returns the attributes of a group's member.
func siblingAttr(from unix.PerfEventAttr) unix.PerfEventAttr {
	a := withClock(from)
	a.Read_format = groupFormat
	return a
}

// withClock returns attributes with the same type and config, and otherwise those that every event here has:
// CLOCK_MONOTONIC and no hypervisor. The library's attributes would exclude the kernel.
func withClock(from unix.PerfEventAttr) unix.PerfEventAttr {
	a := unix.PerfEventAttr{Type: from.Type, Config: from.Config}
	a.Size = uint32(unsafe.Sizeof(a))
	a.Bits = unix.PerfBitExcludeHv | unix.PerfBitUseClockID
	a.Clockid = unix.CLOCK_MONOTONIC
	return a
}
