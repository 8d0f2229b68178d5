package main

import (
	"jobgait/agent/counter/kernel"
	"jobgait/analysis/phase"
)

// writeBursts are the bursts in which the job writes files: stretches of readings, about one a second, in each of which
// it wrote at least leastBurst bytes. What it appends to files that it keeps open does not count (kernel.Written).
type writeBursts struct {
	last   kernel.Written
	open   *phase.Burst
	bursts []phase.Burst // the newest mostBursts that ended, in seconds since the loop's first sample
}

const (
	// leastBurst is the number of bytes between two readings that is a burst: GROMACS writes as much of 4,000 atoms.
	leastBurst = 64 << 10
	mostBursts = 64
)

// add takes a reading of what the job has written. It begins or extends a burst if at least leastBurst bytes were
// written since the last reading, else it ends the open burst. The first reading only sets the count to start from.
// atS is the reading's time in seconds since the loop's first sample, beforeS that of the last reading.
func (w *writeBursts) add(now kernel.Written, beforeS, atS float64) {
	before := w.last
	w.last = now
	if before.AtNS == 0 {
		return
	}
	wrote := float64(now.Bytes - min(before.Bytes, now.Bytes))
	switch {
	case wrote >= leastBurst && w.open == nil:
		w.open = &phase.Burst{StartS: beforeS, EndS: atS, Bytes: wrote}
	case wrote >= leastBurst:
		w.open.EndS, w.open.Bytes = atS, w.open.Bytes+wrote
	case w.open != nil:
		w.bursts = append(w.bursts[max(0, len(w.bursts)-mostBursts+1):], *w.open)
		w.open = nil
	}
}
