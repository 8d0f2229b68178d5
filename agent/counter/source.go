// Package counter defines counter sources. A source counts continuously in the kernel, on one or more lanes (a
// lane is a CPU, or the job). Drained about once a second, it passes what the kernel has recorded since, each
// reading with its time in CLOCK_MONOTONIC. A source neither puts readings on a grid nor adds up lanes; package
// sampler does that.
//
// To add a counter that is read from a file, a device or a library, follow the steps in package polled. To add an
// event of the kernel's perf subsystem, add it to hardwareEvents, softwareEvents or tracepoints of package perf, and
// for shared nodes and `jobgait run` to the events of package jobevent. agent/counteropener.go opens all sources.
package counter

import (
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Source is one kind of counter. Its methods are called by one goroutine.
type Source interface {
	// Columns describes the cumulative counts of a reading, in order; empty for a source of code addresses.
	Columns() []profile.Column
	// Lanes returns the number of lanes. PeriodNS returns the time between two timer records of a lane; 0 if no
	// timer writes records.
	Lanes() int
	PeriodNS() int64
	// Start starts counting. After Stop it may be called again; counts continue from where they stood.
	Start() error
	Stop() error
	// EveryNS returns the interval at which it should be drained; 0 for about once a second, with the rings.
	EveryNS() int64
	// Drain passes all readings since the last call to the sink, each lane in order of time.
	Drain(Sink) error
	// Sources and Notes return what is read, what is absent, and why.
	Sources() []run.CounterSource
	Notes() []note.Note
	Close() error
}

// Members decides which processes of the node belong to the job; job.Members implements it.
type Members interface {
	Has(pid int) bool
	List() []int
}

// Sink receives the readings of one source.
type Sink interface {
	// Record takes a reading that the lane's own timer recorded.
	Record(lane int, timeNS int64, counts []uint64)
	// Read takes a requested reading. It closes gaps in which the timer wrote no record.
	Read(lane int, timeNS int64, counts []uint64)
	// Hit is one sample of the job's code: in a code page, the number of its place of 16 bytes.
	Hit(timeNS int64, page uint64, place uint8)
	// Ran takes, since the last drain and summed over all lanes, the time for which a column was enabled and the
	// time for which the PMU really counted it.
	Ran(column int, enabledNS, runningNS uint64)
	// Changed takes an epoch: from its time on readings mean something else.
	Changed(profile.Epoch)
	// Drained adds to the number of records read from rings, Lost to the number that the kernel dropped for lack
	// of room.
	Drained(records int64)
	Lost(records int64)
}
