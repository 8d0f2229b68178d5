package main

import (
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
)

// learner asks the job's own processes what the scheduler does not tell the hooks: name,
// array, number of tasks. It is done seldom, at times that grow fourfold and so
// have no period, from when there is a process to ask, and ends once a name is
// known. First those are asked that are known; all processes of a node, which
// takes milliseconds, only if none of them could tell.
type learner struct {
	next, wait int64 // CLOCK_MONOTONIC ns, and the time to the look after it
	known      job.Details
}

// firstLookNS is when the batch script has surely begun on an idle machine;
// mostAsked is how many processes are asked at first.
const (
	firstLookNS = 1.5e9
	mostAsked   = 64
)

// learn looks once in a while, and stores what is new in the run directory.
func (a *agent) learn(now int64) {
	l := &a.learner
	if a.run.RootPID != 0 || l.known.Name != "" || a.dir == "" {
		return
	}
	if l.next == 0 {
		l.next, l.wait = now+firstLookNS, firstLookNS
	}
	if now < l.next || a.in.cpu.Alive() == 0 {
		return
	}
	first := l.wait == firstLookNS
	l.wait *= 4
	l.next = now + l.wait
	m := job.NewMembers("/proc", a.in.peek, a.run, scheduler.OfRun(a.run))
	l.known = m.Describe(a.in.cpu.Known(mostAsked))
	if l.known.Name == "" && !first {
		l.known = m.Describe(m.List())
	}
	if l.known == (job.Details{}) {
		return
	}
	if err := a.dir.WriteDetails(l.known); err != nil {
		a.log(err)
	}
}
