package main

import "math/rand/v2"

// schedule says when each of several things is due. It is the agent's one loop:
// everything that takes a CPU from the job, however shortly, happens at a moment
// that it chose. Done at a fixed interval, housekeeping of a millisecond is a
// comb in the job's own series: a walk over /proc at every 100th sample once gave
// every job a clean period of 0.5 s.
//
// To wake costs more than to read a few files, 50 to 90 us in a virtual machine
// against 5 to 10, so there is one beat, that of what is done most often, and all
// else is done at the beat nearest to its time: 10 wake-ups a second on an
// exclusive node without energy counters, not 25.
//
// Each interval is drawn at random, uniformly from half to one and a half times its mean (the flush: 0.25 to
// 0.75 s). That is the width at which nothing is left: intervals uniform over a width w of their mean have, at
// the frequency of that mean, (1-q^2)/(1-q)^2 of the power of moments without any order, where q = sin(pi
// w)/(pi w): 7.2 times for +-20 %, 19 times for 0.7 to 0.9 s, once for +-50 %. Of all sources of an exclusive
// node together no frequency has more than 2.5 times the power of chance in twenty minutes, simulated (+-20 %:
// 10), and of its flushes alone none more than 3 (drawn from 0.45 to 0.85 s: 3.9).
type schedule struct {
	tasks  []task
	random func() float64 // from 0 to below 1
	beat   task
	// lateNS is how late beats come lately: a busy machine lets who slept wait for a CPU.
	lateNS int64
}

// task is one thing that is done again and again.
type task struct {
	everyNS  int64 // on average
	spreadNS int64 // the most that an interval differs from that
	dueNS    int64 // CLOCK_MONOTONIC
	// strict is a task that is never done after its time, nor slowed.
	strict bool
}

// newSchedule draws with a generator that no two agents share.
func newSchedule() *schedule { return &schedule{random: rand.Float64} }

// add makes something due every so often, for the first time within that.
func (s *schedule) add(now, everyNS, spreadNS int64) {
	t := task{everyNS: everyNS, spreadNS: spreadNS}
	t.dueNS = now + int64(s.random()*float64(everyNS))
	s.tasks = append(s.tasks, t)
	if len(s.tasks) == 1 || everyNS < s.beat.everyNS {
		s.beat = t
	}
}

// strict makes a task one that is done in time.
func (s *schedule) strict(i int) { s.tasks[i].strict = true }

// next is when to wake.
func (s *schedule) next() int64 { return s.beat.dueNS }

// mostLateNS is how much lateness is allowed for: with more, and after a stop of the
// machine, strict tasks would be done at each beat.
const mostLateNS = 300e6

// wake draws the beat after this one. How late beats come is the latest, and forgotten
// by halves in 22 of them, some 2 s.
func (s *schedule) wake(now int64) {
	s.lateNS = min(max(now-s.beat.dueNS, s.lateNS-s.lateNS/32), mostLateNS)
	s.draw(&s.beat, now)
}

// due tells whether a task is to be done at this beat: those with the interval
// of the beat always, others when the next beat is further from their time. If
// so it is due again later.
func (s *schedule) due(i int, now int64) bool {
	t := &s.tasks[i]
	last := (now + s.beat.dueNS) / 2
	if t.strict {
		last = s.beat.dueNS + s.lateNS
	}
	if t.everyNS > s.beat.everyNS && t.dueNS > last {
		return false
	}
	s.done(i, now)
	return true
}

// done draws the next time of a task that was just done.
func (s *schedule) done(i int, now int64) { s.draw(&s.tasks[i], now) }

func (s *schedule) draw(t *task, now int64) {
	t.dueNS = now + t.everyNS + int64((2*s.random()-1)*float64(t.spreadNS))
}

// setBeat sets the interval of the beat to that of the most frequent task.
func (s *schedule) setBeat() {
	fastest := s.tasks[0]
	for _, t := range s.tasks {
		if t.everyNS < fastest.everyNS {
			fastest = t
		}
	}
	s.beat.everyNS, s.beat.spreadNS = fastest.everyNS, fastest.spreadNS
}

// slow multiplies the intervals of all tasks that may be slowed by factor; quicken divides them by it.
func (s *schedule) slow(factor int64) {
	s.scale(func(ns int64) int64 { return ns * factor })
}

func (s *schedule) quicken(factor int64) {
	s.scale(func(ns int64) int64 { return ns / factor })
}

func (s *schedule) scale(by func(ns int64) int64) {
	for i := range s.tasks {
		if t := &s.tasks[i]; !t.strict {
			t.everyNS, t.spreadNS = by(t.everyNS), by(t.spreadNS)
		}
	}
	s.setBeat()
}
