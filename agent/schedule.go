package main

import "math/rand/v2"

// schedule says when each of several things is due. It is the agent's one loop:
// everything that takes a CPU from the job, however shortly, happens at a moment
// that it chose. Done at a fixed interval, housekeeping of a millisecond is a
// comb in the job's own series: a walk over /proc at every 100th sample once gave
// every job a clean period of 0.5 s.
//
// Each interval is drawn anew, uniformly from half to one and a half times its
// mean (the flush: 0.35 to 0.85 s). That is the width at which nothing is left:
// intervals uniform over a width w of their mean have, at the frequency of that
// mean, (1-q^2)/(1-q)^2 of the power of moments without any order, where q =
// sin(pi w)/(pi w): 7.2 times for +-20 %, 19 times for 0.7 to 0.9 s, once for
// +-50 %. Of all sources of an exclusive node together, no frequency has more
// than 1.8 times the power of chance in half an hour (simulated; +-20 %: 4.3).
type schedule struct {
	tasks  []task
	random func() float64 // from 0 to below 1
}

// task is one thing that is done again and again.
type task struct {
	everyNS  int64 // on average
	spreadNS int64 // the most that an interval differs from that
	dueNS    int64 // CLOCK_MONOTONIC
}

// newSchedule draws with a generator that no two agents share.
func newSchedule() *schedule { return &schedule{random: rand.Float64} }

// add makes something due every so often, for the first time within that.
func (s *schedule) add(now, everyNS, spreadNS int64) {
	t := task{everyNS: everyNS, spreadNS: spreadNS}
	t.dueNS = now + int64(s.random()*float64(everyNS))
	s.tasks = append(s.tasks, t)
}

// next is when something is due first.
func (s *schedule) next() int64 {
	first := s.tasks[0].dueNS
	for _, t := range s.tasks[1:] {
		first = min(first, t.dueNS)
	}
	return first
}

// early is the part of its interval that a task is done before its time when
// another has woken us anyway: with ten sources that saves half the wake-ups.
const early = 4

// due tells whether a task is to be done now. If so it is due again later.
func (s *schedule) due(i int, now int64) bool {
	t := &s.tasks[i]
	if t.dueNS-now > t.everyNS/early {
		return false
	}
	s.done(i, now)
	return true
}

// done draws the next time of a task that was just done.
func (s *schedule) done(i int, now int64) {
	t := &s.tasks[i]
	t.dueNS = now + t.everyNS + int64((2*s.random()-1)*float64(t.spreadNS))
}

// slow makes all tasks but the first so many times as seldom.
func (s *schedule) slow(factor int64) {
	for i := range s.tasks[1:] {
		s.tasks[i+1].everyNS *= factor
		s.tasks[i+1].spreadNS *= factor
	}
}
