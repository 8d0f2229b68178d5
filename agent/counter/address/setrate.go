package address

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"jobgait/agent/counter/perf"
	"jobgait/agent/rawcall"
)

// SetRate samples at another rate from now on, not above the first, for which the rings are made. Timers keep
// their phases: setting a period restarts it, so the period is set at a moment of the new phase. The processes
// of a command have their own events, which cannot be changed while they run; SetRate then returns
// errors.ErrUnsupported.
func (s *Sampler) SetRate(r Rate) error {
	switch {
	case s.p.Root != 0:
		return fmt.Errorf("change rate of a command's addresses: %w", errors.ErrUnsupported)
	case r.PeriodNS < s.fastest.PeriodNS:
		return fmt.Errorf("change rate of addresses to %g Hz: the rings are made for %g Hz", r.Hz, s.fastest.Hz)
	}
	s.p.Rate = r
	late := rawcall.Now() + perf.PhaseLimit
	for _, c := range s.phased() {
		if err := s.arm(c, late, func() error { return s.setPeriod(c) }); err != nil {
			return fmt.Errorf("change rate of addresses of CPU %d: %w", c.number, err)
		}
	}
	return nil
}

// arm sets a timer going at its phase; those that follow one task only have none.
func (s *Sampler) arm(c *cpu, late int64, start func() error) error {
	if s.p.Root != 0 {
		return start()
	}
	period := s.p.Rate.PeriodNS
	phase := perf.TimerPhase{PeriodNS: period, PhaseNS: c.phaseNS, SlackNS: max(minSlack, min(maxSlack, period/20))}
	return phase.Set(rawcall.Now, perf.WaitUntil, late, start, func() error { return s.setPeriod(c) })
}

// How late a timer may be set going: the call takes 2 to 15 us.
const minSlack, maxSlack = 20_000, 100_000

// setPeriod sets and restarts the period.
func (s *Sampler) setPeriod(c *cpu) error { return perf.SetPeriod(c.fd, s.p.Rate.PeriodNS) }

// phased gives every CPU its phase at the present rate and returns those that are
// online in that order.
func (s *Sampler) phased() []*cpu {
	var online []*cpu
	for _, c := range s.cpus {
		c.phaseNS = phase(c.index, s.p.Rate.PeriodNS, s.p.StepNS)
		if c.fd >= 0 {
			online = append(online, c)
		}
	}
	return slices.SortedStableFunc(slices.Values(online), func(a, b *cpu) int { return cmp.Compare(a.phaseNS, b.phaseNS) })
}
