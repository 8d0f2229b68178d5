package polled

import (
	"errors"

	"jobgait/agent/profile"
)

// Meter describes something that is read by polling. A reading is a row of cells: cell i belongs to column i
// modulo the number of columns, so that each device has its own cells and one that disappears does not change
// those of others.
type Meter struct {
	// Columns are all levels (Gauge) or all counts; New sets their Hz.
	Columns []profile.Column
	// Event, PMU and Config describe what is read, as in run.CounterSource.
	Event, PMU, Config string
	EveryNS            int64
	// Cells is the number of cells of a reading, 0 for one per column.
	Cells int
	// Read fills the cells; those that it leaves at NoCell have no value.
	Read func(cells []uint64) error
	// Close closes what Read holds open; nil if nothing.
	Close func() error
	// Hangs says that a device's firmware must answer, which may never happen: readings are taken in a separate
	// goroutine.
	Hangs bool
	// OwnCount says that the counter began at 0 with this run and counts nothing else.
	OwnCount bool
	// NeverText is the text of a note if the meter was absent all the time, "" for no note.
	NeverText string
}

// NoCell is a cell without a value.
const NoCell = ^uint64(0)

// ErrAbsent is returned by a Meter whose object does not exist yet, such as the job's cgroup.
var ErrAbsent = errors.New("the object of this counter, such as the job's cgroup, does not exist yet: it is read " +
	"again later")
