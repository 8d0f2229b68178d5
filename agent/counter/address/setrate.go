package address

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/perf"
)

// SetRate samples at another rate from now on, not above the first, for which
// the rings are made. Timers keep their phases: a period that is set begins
// anew, so it is set at a moment of the new phase. The processes of a command
// have events of their own, which the kernel lets nobody change while they run:
// then it is errors.ErrUnsupported.
func (s *Source) SetRate(r Rate) error {
	switch {
	case s.p.Root != 0:
		return fmt.Errorf("change rate of a command's addresses: %w", errors.ErrUnsupported)
	case r.PeriodNS < s.fastest.PeriodNS:
		return fmt.Errorf("change rate of addresses to %g Hz: the rings are made for %g Hz", r.Hz, s.fastest.Hz)
	}
	s.p.Rate = r
	late := perf.Now() + perf.PhaseLimit
	for _, c := range s.phased() {
		if err := s.arm(c, late, func() error { return s.setPeriod(c) }); err != nil {
			return fmt.Errorf("change rate of addresses of CPU %d: %w", c.number, err)
		}
	}
	return nil
}

// arm sets a timer going at its phase, as long as there is time for that. On a
// busy node we may be kept from running between waking up and the call, and the
// timer would keep the wrong phase for good: then its period is set again.
func (s *Source) arm(c *cpu, late int64, do func() error) error {
	if s.p.Root != 0 {
		return do()
	}
	for ; ; do = func() error { return s.setPeriod(c) } {
		at := perf.NextPhase(perf.Now(), s.p.Rate.PeriodNS, c.phaseNS)
		if at < late {
			perf.WaitUntil(at)
		}
		if err := do(); err != nil {
			return err
		}
		if now := perf.Now(); now-at < max(minSlack, min(maxSlack, s.p.Rate.PeriodNS/20)) || now >= late {
			return nil
		}
	}
}

// How late a timer may be set going: the call takes 2 to 15 us.
const minSlack, maxSlack = 20_000, 100_000

// setPeriod sets the period, which begins anew.
func (s *Source) setPeriod(c *cpu) error {
	period := uint64(s.p.Rate.PeriodNS)
	_, _, err := unix.Syscall(unix.SYS_IOCTL, uintptr(c.fd), unix.PERF_EVENT_IOC_PERIOD, uintptr(unsafe.Pointer(&period)))
	if err != 0 {
		return os.NewSyscallError("ioctl", err)
	}
	return nil
}

// phased gives every CPU its phase at the present rate and returns those that are
// online in that order.
func (s *Source) phased() []*cpu {
	var online []*cpu
	for _, c := range s.cpus {
		c.phaseNS = phase(c.index, s.p.Rate.PeriodNS, s.p.StepNS)
		if c.fd >= 0 {
			online = append(online, c)
		}
	}
	return slices.SortedStableFunc(slices.Values(online), func(a, b *cpu) int { return cmp.Compare(a.phaseNS, b.phaseNS) })
}
