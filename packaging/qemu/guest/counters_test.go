package guest

import (
	"errors"
	"fmt"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/kernel"
	"jobgait/agent/counter/perf"
)

// stepNS is the step of the grid.
const stepNS = 5_000_000

// turns is how many turns of spin are 0.1 s at one instruction a nanosecond.
const turns = 50_000_000

// openCounters opens the node's counters as the agent does.
func openCounters(open perf.Opener) (*perf.Counters, error) {
	cpus, err := kernel.OnlineCPUs("/sys")
	if err != nil {
		return nil, err
	}
	return perf.NewCounters(open, kernel.Roots{Proc: "/proc", Sys: "/sys"}, cpus, stepNS)
}

// counted counts while work is done and returns all that was handed over.
func counted(c *perf.Counters, work func() error) (*countertest.Sink, error) {
	sink := &countertest.Sink{}
	if err := c.Start(); err != nil {
		return nil, err
	}
	err := errors.Join(c.Drain(sink), work(), c.Drain(sink), c.Stop())
	return sink, err
}

// columnOf is the position of a column.
func columnOf(c *perf.Counters, name string) (int, error) {
	for i, col := range c.Columns() {
		if col.Name == name {
			return i, nil
		}
	}
	return 0, fmt.Errorf("there is no column %s: %+v", name, c.Sources())
}

// span is what a lane counted between its first and its last reading.
type span struct {
	NS           int64  `json:"ns"`
	Instructions uint64 `json:"instructions"`
	Cycles       uint64 `json:"cycles"`
}

func spanOf(c *perf.Counters, sink *countertest.Sink, lane int) (span, error) {
	instructions, err := columnOf(c, "instructions")
	if err != nil {
		return span{}, err
	}
	cycles, err := columnOf(c, "cycles")
	if err != nil {
		return span{}, err
	}
	var first, last *countertest.Reading
	for i := range sink.Readings {
		if r := &sink.Readings[i]; r.Lane == lane {
			if first == nil {
				first = r
			}
			last = r
		}
	}
	if first == last {
		return span{}, fmt.Errorf("lane %d has %d readings", lane, len(sink.Readings))
	}
	return span{last.TimeNS - first.TimeNS, last.Counts[instructions] - first.Counts[instructions],
		last.Counts[cycles] - first.Counts[cycles]}, nil
}
