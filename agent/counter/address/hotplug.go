package address

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter"
	"jobgait/agent/counter/perf"
	"jobgait/agent/profile"
	"jobgait/agent/rawcall"
)

// openCPU opens the timer of a CPU, disabled, and maps its ring. If the ring cannot be mapped, the timer is
// closed again.
func (s *Sampler) openCPU(c *cpu) error {
	var err error
	if c.fd, err = s.open(&s.attr, s.pid(), c.number, -1, 0); err != nil {
		return err
	}
	if c.ring, err = mapRing(c.fd, ringPages(s.fastest)); err != nil {
		return errors.Join(err, c.close())
	}
	if s.p.Rate != s.fastest {
		err = s.setPeriod(c)
	}
	return err
}

// newCPU returns a CPU without a timer.
func newCPU(number, index int) *cpu { return &cpu{number: number, index: index, fd: -1, tracker: -1} }

// close closes a CPU's events and ring, if open.
func (c *cpu) close() error {
	first := c.closeTracker()
	if c.ring != nil {
		first = errors.Join(first, c.ring.Close())
	}
	if c.fd >= 0 {
		first = errors.Join(first, unix.Close(c.fd))
	}
	c.ring, c.fd = nil, -1
	return first
}

// followHotplug checks about once a second which CPUs are online, closes the timers of those that went offline
// and opens timers on those that came online. An old timer of such a CPU never counts again, without an error.
// It does nothing for a command, whose timers belong to its processes.
func (s *Sampler) followHotplug(to counter.Sink) error {
	now := rawcall.Now()
	if now < s.nextOnlineNS || s.p.Root != 0 {
		return nil
	}
	s.nextOnlineNS = now + 750e6 + rand.Int64N(500e6)
	if changed, err := s.online.Read(); err != nil || !changed {
		return nil // without this file there is no hotplug
	}
	// The signal waits on descriptors that are closed below.
	err, online := s.stopSignal(), s.online.CPUs()
	for _, c := range s.cpus {
		if !s.online.Has(c.number) {
			err = errors.Join(err, c.close())
		}
	}
	for _, number := range online {
		err = errors.Join(err, s.openOnCPU(number))
	}
	to.Changed(profile.Epoch{TimeNS: now, Kind: "hotplug",
		Text: fmt.Sprintf("%d CPUs are online: code is sampled on these", len(online))})
	return errors.Join(err, s.startSignal())
}

// openOnCPU opens a timer on a CPU that has none, and starts it if sampling is on.
func (s *Sampler) openOnCPU(number int) error {
	i := slices.IndexFunc(s.cpus, func(c *cpu) bool { return c.number == number })
	if i < 0 {
		i = len(s.cpus)
		s.cpus = append(s.cpus, newCPU(number, i))
	}
	c := s.cpus[i]
	if c.fd >= 0 {
		return nil
	}
	err := s.openCPU(c)
	if err == nil && s.on {
		err = s.trackCPU(c)
	}
	if err == nil && s.on {
		c.phaseNS = timerPhase(c.index, s.p.Rate.PeriodNS, s.p.StepNS)
		err = s.startAtPhase(c, rawcall.Now()+perf.PhaseLimit, func() error {
			return perf.Ioctl(c.fd, unix.PERF_EVENT_IOC_ENABLE, 0)
		})
	}
	if err != nil {
		return errors.Join(fmt.Errorf(
			"open the code sampling timer of CPU %d, which came online: %w: code on it is not sampled", number, err),
			c.close())
	}
	return nil
}
