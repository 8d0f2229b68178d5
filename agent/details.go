package main

import (
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
)

// learner reads from the job's own processes what the scheduler does not pass to the hooks: name, array, number
// of tasks. It starts with the first process of the job, at intervals that grow fourfold and so have no period,
// and ends once a name is known. It reads the known processes first, and all processes of the node, which takes
// milliseconds, only if these have no answer.
type learner struct {
	next, wait int64 // CLOCK_MONOTONIC ns, and the time to the look after it
	known      job.Details
}

// firstLookNS is when the batch script has surely begun on an idle machine; mostAsked is how many processes are
// read at first.
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
