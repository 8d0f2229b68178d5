package perf

import (
	"fmt"
	"unsafe"

	perfutils "github.com/hodgesds/perf-utils"
	"golang.org/x/sys/unix"
)

// Event is one thing that can be counted on a CPU.
type Event struct {
	Name   string // column name
	Unit   string
	Kernel string // what the kernel calls it
	PMU    string
	Attr   unix.PerfEventAttr // type and config only
	// CPUNS is about how much CPU time goes with one count, in ns: by it counts of
	// different events are compared.
	CPUNS float64
}

// Hardware tells whether the event needs a counter of the PMU.
func (e Event) Hardware() bool { return e.Attr.Type == unix.PERF_TYPE_HARDWARE }

// tracepoint tells whether the event is counted in a handler of its own.
func (e Event) tracepoint() bool { return e.Attr.Type == unix.PERF_TYPE_TRACEPOINT }

// on returns the attributes for a PMU of a hybrid machine: its type in the upper
// half of config (Linux 5.13). Without, the kernel would count on one kind of
// core only.
func (e Event) on(p corePMU, hybrid bool) unix.PerfEventAttr {
	a := e.Attr
	if hybrid && e.Hardware() {
		a.Config |= uint64(p.kind) << 32
	}
	return a
}

// config describes the event's configuration, in words for a profile's header.
func (e Event) config(m machine) string {
	text := ""
	for _, p := range m.cores {
		if text != "" {
			text += " + "
		}
		a := e.on(p, m.hybrid())
		text += fmt.Sprintf("type %d config %#x", a.Type, a.Config)
		if !e.Hardware() {
			break
		}
	}
	return text
}

// hardware are the events that share the PMU's few counters. What stands last
// is given up first when they do not all fit: instructions and cycles make the
// IPC, reference cycles tell the clock's speed, and so on.
func hardware(m machine) []Event {
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

// CPU time of one count. A switch took 2.7 us in a virtual machine, a fault .5 to 1 us; a
// cycle is that of 2.5 GHz, a miss takes some ten of them.
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

// cacheName is what the kernel's generic cache-misses counts on a vendor's CPUs:
// the last level on Intel, the second on AMD, the first on ARM. What it is on
// others is not known, and it is not counted there.
func cacheName(vendor string) string {
	switch vendor {
	case "GenuineIntel":
		return "llc_misses"
	case "AuthenticAMD", "HygonGenuine":
		return "l2_misses"
	case arm:
		return "l1d_refills"
	}
	return anyCache
}

// software are the events that any kernel counts. Page faults are all, major
// ones those that waited for a disk.
func software() []Event {
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

func sibling(from unix.PerfEventAttr) unix.PerfEventAttr {
	a := clocked(from)
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
