package polled

import (
	"errors"

	"jobgait/agent/profile"
)

// Meter is something that is read when somebody asks. A reading is a row of
// cells: cell i belongs to column i modulo the number of columns, so that each
// device has its own cells and one that goes away takes nothing along.
type Meter struct {
	// Columns are all levels (Gauge) or all counts; New sets their Hz.
	Columns []profile.Column
	// Event, PMU and Config say what is read, as in run.CounterSource.
	Event, PMU, Config string
	EveryNS            int64
	// Cells is how many cells a reading has, 0 = one for each column.
	Cells int
	// Read fills the cells; those that it leaves at NoCell were not there.
	Read func(cells []uint64) error
	// Close gives up what Read holds open; nil = nothing.
	Close func() error
	// Hangs means that a device's firmware answers, which may never happen: readings are taken in a separate
	// goroutine.
	Hangs bool
	// Own tells that it counts nothing but this run since it was 0.
	Own bool
	// Never is what to say if it never was there, "" = nothing.
	Never string
}

// NoCell is a cell without a value.
const NoCell = ^uint64(0)

// ErrAbsent is what a Meter says that is not there yet, as of the job before its
// cgroup is.
var ErrAbsent = errors.New("not there yet")
