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

// openCPU opens the timer of a CPU and its ring; the timer does not run yet.
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

// close gives a CPU's timer back; it may have none.
func (c *cpu) close() error {
	var first error
	if c.ring != nil {
		first = c.ring.Close()
	}
	if c.fd >= 0 {
		first = errors.Join(first, unix.Close(c.fd))
	}
	c.ring, c.fd = nil, -1
	return first
}

// follow opens timers for CPUs that came online, about once a second. The previous timer of such a CPU stays
// silent without reporting an error. Those of a command belong to its processes and outlive the CPU.
func (s *Sampler) follow(to counter.Sink) error {
	now := rawcall.Now()
	if now < s.lookAt || s.p.Root != 0 {
		return nil
	}
	s.lookAt = now + 750e6 + rand.Int64N(500e6)
	if changed, err := s.online.Read(); err != nil || !changed {
		return nil // no such file: no such thing as hotplug
	}
	// The bell waits on descriptors that go.
	err, online := s.silence(), s.online.CPUs()
	for _, c := range s.cpus {
		if !s.online.Has(c.number) {
			err = errors.Join(err, c.close())
		}
	}
	for _, number := range online {
		err = errors.Join(err, s.plug(number))
	}
	to.Changed(profile.Epoch{TimeNS: now, Kind: "hotplug",
		Text: fmt.Sprintf("%d CPUs are online: code is sampled on these", len(online))})
	return errors.Join(err, s.ringAgain())
}

// plug samples on a CPU that has no timer.
func (s *Sampler) plug(number int) error {
	i := slices.IndexFunc(s.cpus, func(c *cpu) bool { return c.number == number })
	if i < 0 {
		i = len(s.cpus)
		s.cpus = append(s.cpus, &cpu{number: number, index: i, fd: -1})
	}
	c := s.cpus[i]
	if c.fd >= 0 {
		return nil
	}
	err := s.openCPU(c)
	if err == nil && s.on {
		c.phaseNS = phase(c.index, s.p.Rate.PeriodNS, s.p.StepNS)
		err = s.arm(c, rawcall.Now()+perf.PhaseLimit, func() error { return perf.Ioctl(c.fd, unix.PERF_EVENT_IOC_ENABLE, 0) })
	}
	if err != nil {
		return errors.Join(fmt.Errorf("sample addresses on CPU %d: %w", number, err), c.close())
	}
	return nil
}
