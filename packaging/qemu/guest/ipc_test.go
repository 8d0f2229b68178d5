package guest

import (
	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/job/jobtest"
)

// busy is what was counted of a loop.
type busy struct {
	span
	IPC   float64 `json:"ipc"`
	Turns uint64  `json:"turns"`
	// All has the instructions of the whole loop: from before it until
	// after some more records, since a drain may leave out the last step.
	// Alone is the same by two single events, one for the code of users and
	// one for the kernel's; Own is of users' code while the loop ran.
	All   uint64 `json:"all"`
	Alone uint64 `json:"alone"`
	Own   uint64 `json:"own"`
}

// measureIPC counts on a CPU that is always busy. A clock cycle is a nanosecond; an instruction takes 2^shift
// clock cycles.
func measureIPC() (any, error) {
	c, err := openCounters(perf.Open)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	alone, err := openAlone([]uint64{unix.PerfBitExcludeKernel, unix.PerfBitExcludeUser})
	if err != nil {
		return nil, err
	}
	defer closeAll(alone)
	sink := &countertest.Sink{}
	if err := c.Start(); err != nil {
		return nil, err
	}
	begun, err := readAlone(alone)
	if err != nil {
		return nil, err
	}
	b := busy{Turns: 2 * turns}
	if b.Own, err = b.spin(c, sink, alone); err != nil {
		return nil, err
	}
	if b.span, err = spanOf(c, sink, 0); err != nil {
		return nil, err
	}
	b.IPC = float64(b.Instructions) / float64(b.Cycles)
	jobtest.WorkloadPause(4 * stepNS)
	if err := c.Drain(sink); err != nil {
		return nil, err
	}
	ended, err := readAlone(alone)
	if err != nil {
		return nil, err
	}
	for i := range ended {
		b.Alone += ended[i].count - begun[i].count
	}
	all, err := spanOf(c, sink, 0)
	b.All = all.Instructions
	return b, err
}

// spin is the loop between two drains. It returns what the first of the single
// events counted of it.
func (b *busy) spin(c *perf.Counters, sink *countertest.Sink, alone []int) (uint64, error) {
	if err := c.Drain(sink); err != nil {
		return 0, err
	}
	before, err := readAlone(alone)
	if err != nil {
		return 0, err
	}
	spin(b.Turns)
	after, err := readAlone(alone)
	if err != nil {
		return 0, err
	}
	return after[0].count - before[0].count, c.Drain(sink)
}
