package main

import (
	"jobgait/agent/profile"
	"jobgait/analysis/run"
)

// cpuWait sums how long the job's tasks have waited for CPUs, from the counters in the blocks that were followed. The
// zero value is that before the first block.
type cpuWait struct {
	counters []run.Counter // of the profile's columns, with their last values
	totalS   float64
}

// advance reads the counters of the next block and returns by how many seconds, over all tasks, the wait grew since
// the last call; false if the wait is not measured. Counters are read about once a second, so that the growth can be
// that of several blocks, and 0.
func (w *cpuWait) advance(b *profile.Block, h profile.Header) (grewS float64, ok bool) {
	if w.counters == nil {
		w.counters = make([]run.Counter, len(h.Columns))
	}
	for i, c := range h.Columns {
		if i >= len(b.Columns) || i >= len(w.counters) || c.Gauge {
			continue
		}
		if v, known := lastValue(b.Columns[i]); known {
			w.counters[i] = run.Counter{Name: c.Name, Unit: c.Unit, Scope: c.Scope, Total: float64(v)}
		}
	}
	total := run.CPUWaitS(w.counters)
	if total == nil {
		return 0, false
	}
	grewS = max(0, *total-w.totalS)
	w.totalS += grewS
	return grewS, true
}

// lastValue returns the last value of a column that is not missing; false without one.
func lastValue(values []int64) (v int64, ok bool) {
	for i := len(values) - 1; i >= 0; i-- {
		if values[i] != profile.NoValue {
			return values[i], true
		}
	}
	return 0, false
}
