package main

import "math/rand/v2"

// schedule decides when each task of the agent's loop is due, at random intervals. All work that takes a CPU
// from the job, however short, is such a task. Work of a millisecond at a fixed interval would appear as a
// period in the job's own series: a walk over /proc at every 100th sample once gave every job a clean period of
// 0.5 s.
//
// A wake-up costs more than reading a few files, 50 to 90 us in a virtual machine against 5 to 10 us. So the
// loop wakes only as often as the most frequent task needs, and does each other task at the wake-up nearest to
// its time: 10 wake-ups a second on an exclusive node without energy counters instead of 25.
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
	wakeUp task
	// lateNS is how late recent wake-ups were, in ns: on a busy machine the agent waits for a CPU.
	lateNS int64
}

// task is one task that is repeated at random intervals.
type task struct {
	everyNS  int64 // on average
	spreadNS int64 // the most that an interval differs from that
	dueNS    int64 // CLOCK_MONOTONIC
	// strict marks a task that is never done late and whose interval is never lengthened.
	strict bool
}

// newSchedule returns an empty schedule with a random generator that is seeded differently in each agent.
func newSchedule() *schedule { return &schedule{random: rand.Float64} }

// add appends a task with a mean interval of everyNS, drawn within spreadNS of it. It is first due within
// everyNS from now.
func (s *schedule) add(now, everyNS, spreadNS int64) {
	t := task{everyNS: everyNS, spreadNS: spreadNS}
	t.dueNS = now + int64(s.random()*float64(everyNS))
	s.tasks = append(s.tasks, t)
	if len(s.tasks) == 1 || everyNS < s.wakeUp.everyNS {
		s.wakeUp = t
	}
}

// setStrict marks task i as strict: it is never done late.
func (s *schedule) setStrict(i int) { s.tasks[i].strict = true }

// nextNS returns the time of the next wake-up (CLOCK_MONOTONIC ns).
func (s *schedule) nextNS() int64 { return s.wakeUp.dueNS }

// maxLateNS limits lateNS: with more, as after a stop of the machine, strict tasks would be done at each
// wake-up.
const maxLateNS = 300e6

// drawWakeUp draws the time of the wake-up after this one and updates lateNS: the largest recent lateness,
// which decays by half in 22 wake-ups, some 2 s.
func (s *schedule) drawWakeUp(now int64) {
	s.lateNS = min(max(now-s.wakeUp.dueNS, s.lateNS-s.lateNS/32), maxLateNS)
	s.drawTime(&s.wakeUp, now)
}

// due reports whether task i is to be done at this wake-up, and if so draws its next time. The most frequent
// task is always due. Others are due if this wake-up is nearer to their time than the next one is, strict ones if the
// next wake-up, which may be lateNS late, could come after their time. Call it after drawWakeUp.
func (s *schedule) due(i int, now int64) bool {
	t := &s.tasks[i]
	last := (now + s.wakeUp.dueNS) / 2
	if t.strict {
		last = s.wakeUp.dueNS + s.lateNS
	}
	if t.everyNS > s.wakeUp.everyNS && t.dueNS > last {
		return false
	}
	s.drawNext(i, now)
	return true
}

// drawNext draws the next time of a task that was just done.
func (s *schedule) drawNext(i int, now int64) { s.drawTime(&s.tasks[i], now) }

// drawTime sets the time of a task to its mean interval after now, varied at random by up to spreadNS.
func (s *schedule) drawTime(t *task, now int64) {
	t.dueNS = now + t.everyNS + int64((2*s.random()-1)*float64(t.spreadNS))
}

// setWakeUpInterval sets the interval of wake-ups to that of the most frequent task.
func (s *schedule) setWakeUpInterval() {
	fastest := s.tasks[0]
	for _, t := range s.tasks {
		if t.everyNS < fastest.everyNS {
			fastest = t
		}
	}
	s.wakeUp.everyNS, s.wakeUp.spreadNS = fastest.everyNS, fastest.spreadNS
}

// slowDown multiplies the intervals of all tasks that are not strict by factor.
func (s *schedule) slowDown(factor int64) {
	s.scale(func(ns int64) int64 { return ns * factor })
}

// speedUp divides the intervals of all tasks that are not strict by factor.
func (s *schedule) speedUp(factor int64) {
	s.scale(func(ns int64) int64 { return ns / factor })
}

// scale applies by to the intervals and spreads of all tasks that are not strict, and adapts the interval of wake-ups.
func (s *schedule) scale(by func(ns int64) int64) {
	for i := range s.tasks {
		if t := &s.tasks[i]; !t.strict {
			t.everyNS, t.spreadNS = by(t.everyNS), by(t.spreadNS)
		}
	}
	s.setWakeUpInterval()
}
