package guest

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/countertest"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
)

// hotplug is what lane 1 counted before its CPU went, while it was gone, and
// after it came back.
type hotplug struct {
	Before, Gone, After span
	Epochs              []profile.Epoch
	Lanes               int
	// Drains are the errors of drains.
	Drains []string
}

// cpuSwitch turns CPU 1 on and off.
const cpuSwitch = "/sys/devices/system/cpu/cpu1/online"

func measureHotplug() (any, error) {
	c, err := openCounters(perf.Open)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	h := hotplug{Lanes: c.Lanes()}
	sink := &countertest.Sink{}
	if err := c.Start(); err != nil {
		return nil, err
	}
	drain := func() {
		if err := c.Drain(sink); err != nil {
			h.Drains = append(h.Drains, err.Error())
		}
	}
	phase := func(to *span, before, work func() error) error {
		if err := before(); err != nil {
			return err
		}
		drain()
		drain() // it may take one to see what happened
		sink.Readings = sink.Readings[:0]
		drain()
		if err := work(); err != nil {
			return err
		}
		drain()
		drain()
		h.Epochs = sink.Epochs
		s, err := spanOf(c, sink, 1)
		*to = s
		return err
	}
	flip := func(to string) func() error {
		return func() error { return os.WriteFile(cpuSwitch, []byte(to), 0) }
	}
	busy := func(cpu int) func() error { return func() error { return spinOn(cpu, turns) } }
	err = errors.Join(
		phase(&h.Before, func() error { return nil }, busy(1)),
		phase(&h.Gone, flip("0"), busy(0)),
		phase(&h.After, flip("1"), busy(1)))
	return h, err
}

// spinOn spins on one CPU.
func spinOn(cpu int, n uint64) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return err
	}
	defer unix.SchedSetaffinity(0, &all)
	spin(n)
	return nil
}
