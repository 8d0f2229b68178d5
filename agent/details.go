package main

import (
	"fmt"

	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
)

// detailsReader reads from the job's own processes what the scheduler does not pass to the hooks: name, array,
// number of tasks. It reads first a while after the job's first process, then at intervals that grow fourfold,
// until the job's name is known. It reads the known processes first, and all processes of the node, which takes
// milliseconds, only if they do not give the name.
type detailsReader struct {
	next, wait int64 // time of the next reading (CLOCK_MONOTONIC ns), and the interval after it
	known      job.Details
}

// firstReadNS is the delay of the first reading, after which the batch script has begun on an idle machine;
// maxProcessesRead limits the known processes that are read.
const (
	firstReadNS      = 1.5e9
	maxProcessesRead = 64
)

// readJobDetails reads the job's details from its processes when a reading is due, and stores them in the run
// directory. It stops once the job's name is known, and does nothing under `jobgait run`.
func (a *agent) readJobDetails(now int64) {
	l := &a.details
	if a.run.RootPID != 0 || l.known.Name != "" || a.dir == "" {
		return
	}
	if l.next == 0 {
		l.next, l.wait = now+firstReadNS, firstReadNS
	}
	if now < l.next || a.in.cpu.Alive() == 0 {
		return
	}
	first := l.wait == firstReadNS
	l.wait *= 4
	l.next = now + l.wait
	m := job.NewMembers("/proc", a.in.peek, a.run, scheduler.ForRun(a.run))
	l.known = m.Describe(a.in.cpu.KnownPIDs(maxProcessesRead))
	if l.known.Name == "" && !first {
		l.known = m.Describe(m.List())
	}
	if l.known == (job.Details{}) {
		return
	}
	if err := a.dir.WriteDetails(l.known); err != nil {
		a.log(fmt.Errorf("store what the job's processes state: %w: the report may lack the job's name", err))
	}
}
