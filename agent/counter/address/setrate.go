package address

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"jobgait/agent/counter/perf"
	"jobgait/agent/rawcall"
)

// SetRate changes the sampling rate. A rate above the first one, for which the rings are sized, is an error.
// Setting a period restarts it, so each timer is set at its new phase. The processes of a command have their
// own events, which cannot be changed while they run; SetRate then returns errors.ErrUnsupported.
func (s *Sampler) SetRate(r Rate) error {
	switch {
	case s.p.Root != 0:
		return fmt.Errorf("change the code sampling rate of a command: %w", errors.ErrUnsupported)
	case r.PeriodNS < s.fastest.PeriodNS:
		return fmt.Errorf("change the code sampling rate to %g Hz: the buffers of this run have room for at most %g Hz: "+
			"the rate stays as it is",
			r.Hz, s.fastest.Hz)
	}
	s.p.Rate = r
	late := rawcall.Now() + perf.PhaseLimit
	for _, c := range s.assignPhases() {
		if err := s.startAtPhase(c, late, func() error { return s.setPeriod(c) }); err != nil {
			return fmt.Errorf("change the code sampling rate on CPU %d: %w: some CPUs keep the old rate", c.number, err)
		}
	}
	return nil
}

// startAtPhase calls start for a timer at its phase, or at once after the time late (CLOCK_MONOTONIC, ns). If start
// ran too late for the phase, it sets the period again at the next phase. For the timers of a command, which need no
// phase, it only calls start.
func (s *Sampler) startAtPhase(c *cpu, late int64, start func() error) error {
	if s.p.Root != 0 {
		return start()
	}
	period := s.p.Rate.PeriodNS
	phase := perf.TimerPhase{PeriodNS: period, PhaseNS: c.phaseNS, SlackNS: max(minSlack, min(maxSlack, period/20))}
	return phase.Start(rawcall.Now, perf.WaitUntil, late, start, func() error { return s.setPeriod(c) })
}

// Limits of how late a timer may be started, in ns: the call takes 2 to 15 us.
const minSlack, maxSlack = 20_000, 100_000

// setPeriod sets the timer's period to the present rate and restarts it.
func (s *Sampler) setPeriod(c *cpu) error { return perf.SetPeriod(c.fd, s.p.Rate.PeriodNS) }

// assignPhases sets every CPU's phase at the present rate and returns the online CPUs in order of phase.
func (s *Sampler) assignPhases() []*cpu {
	var online []*cpu
	for _, c := range s.cpus {
		c.phaseNS = timerPhase(c.index, s.p.Rate.PeriodNS, s.p.StepNS)
		if c.fd >= 0 {
			online = append(online, c)
		}
	}
	return slices.SortedStableFunc(slices.Values(online), func(a, b *cpu) int { return cmp.Compare(a.phaseNS, b.phaseNS) })
}
