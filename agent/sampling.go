package main

import (
	"jobgait/agent/profile"
	"jobgait/agent/sampler"
)

// sampling reads the sources by a schedule into the slots of a grid.
type sampling struct {
	grid     sampler.Grid
	sampler  *sampler.Sampler
	schedule *schedule
}

// flush is the index of the first task of the schedule, which drains all inputs and writes them. It runs every
// 0.1 to 0.75 s: the interval is drawn from 0.25 s on, and the task runs up to one wake-up early. With the 0.1
// s that the sampler holds back, a kill -9 loses less than a second.
const (
	flush         = 0
	flushNS       = 500e6
	flushSpreadNS = 250e6
)

// newSampling returns the sampling of these inputs on a grid. now is CLOCK_MONOTONIC, in ns.
func newSampling(g sampler.Grid, in *inputs, now int64) sampling {
	s := sampling{grid: g, sampler: sampler.New(g, in.code != nil, in.shapes()...), schedule: newSchedule()}
	s.schedule.add(now, flushNS, flushSpreadNS)
	s.schedule.setStrict(flush)
	for k, i := range in.slow {
		every := in.everyNS(i)
		s.schedule.add(now, every, every/2)
		if in.sources[i].PeriodNS() > 0 || i == in.codeIndex() {
			s.schedule.setStrict(k + 1) // rings that had to shrink must not overflow
		}
	}
	return s
}

// recordEpochAt adds an epoch that begins at a time, CLOCK_MONOTONIC in ns, to the profile.
func (s *sampling) recordEpochAt(timeNS int64, e profile.Epoch) {
	e.TimeNS = timeNS
	s.sampler.Changed(e)
}

// secondsSampled returns the time since sampling began, in seconds.
func (s *sampling) secondsSampled(now int64) float64 { return float64(now-s.grid.BaseNS) / 1e9 }

// records returns the number of records that the first n sources have delivered.
func (s *sampling) records(n int) (sum int64) {
	for i := range n {
		sum += s.sampler.Track(i).Records()
	}
	return sum
}
