package main

import (
	"errors"
	"time"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
)

// busy is what was counted of a loop.
type busy struct {
	span
	IPC   float64 `json:"ipc"`
	Turns uint64  `json:"turns"`
	// All has the instructions of the whole loop: from before it until
	// after some more records, since a drain may leave out the last step.
	All uint64 `json:"all"`
}

// measureIPC counts a CPU that is always busy. One cycle is a nanosecond, an
// instruction takes 2^shift of them.
func measureIPC() (any, error) {
	c, err := openCounters(perf.Open)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	sink := &countertest.Sink{}
	if err := errors.Join(c.Start(), c.Drain(sink)); err != nil {
		return nil, err
	}
	const n = 2 * turns
	spin(n)
	if err := c.Drain(sink); err != nil {
		return nil, err
	}
	s, err := spanOf(c, sink, 0)
	if err != nil {
		return nil, err
	}
	time.Sleep(4 * stepNS)
	if err := c.Drain(sink); err != nil {
		return nil, err
	}
	all, err := spanOf(c, sink, 0)
	return busy{s, float64(s.Instructions) / float64(s.Cycles), n, all.Instructions}, err
}
