// Package counter says what a counter source is. A source counts by itself, in
// the kernel, on lanes of its own (a lane is a CPU, or the job); drained about
// once a second it hands over what the kernel recorded since, each reading with
// the time of CLOCK_MONOTONIC at which it was true. It refuses to put readings
// on a grid or to add up lanes: that is package sampler's.
package counter

import (
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
)

// Source is one kind of counter. Its methods are called by one goroutine.
type Source interface {
	// Columns are the cumulative counts of a reading, in order; none for a
	// source of code addresses.
	Columns() []profile.Column
	// Lanes is how many lanes give readings, and PeriodNS the time between
	// two records of a lane; 0 when no record is due.
	Lanes() int
	PeriodNS() int64
	// Start lets it count. After Stop it may be started again; counts go on
	// from where they stood.
	Start() error
	Stop() error
	// EveryNS is how often it wants to be drained; 0 = about once a second,
	// whenever the rings are.
	EveryNS() int64
	// Drain hands over everything since the last call, each lane in the
	// order of time.
	Drain(Sink) error
	// Sources and Notes say what is read, what is not, and why.
	Sources() []run.CounterSource
	Notes() []note.Note
	Close() error
}

// Members are the processes of the node that are the job's; job.Members knows them.
type Members interface {
	Has(pid int) bool
	List() []int
}

// Sink takes readings.
type Sink interface {
	// Record is a reading that the lane's own timer took.
	Record(lane int, timeNS int64, counts []uint64)
	// Read takes a requested reading. It closes gaps in which the timer wrote no record.
	Read(lane int, timeNS int64, counts []uint64)
	// Hit is one sample of the job's code: in a code page, the number of its place of 16 bytes.
	Hit(timeNS int64, page uint64, place uint8)
	// Ran tells for how long, since the last drain and over all lanes, a
	// column was to count and for how long the PMU really had room for it.
	Ran(column int, enabledNS, runningNS uint64)
	// Changed tells that from a moment on readings mean something else.
	Changed(profile.Epoch)
	// Drained counts records taken from a ring, Lost what the kernel says
	// it had no room for.
	Drained(records int64)
	Lost(records int64)
}
