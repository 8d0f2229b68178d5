package main

import (
	"math/rand/v2"
	"time"

	"jobgait/agent/profile"
)

// idleNS is how long a node may be without any process of the job before its
// counters are stopped. Nodes without a step are normal, so the agent waits.
const idleNS = 60e9

// idle is the state of a node that the job does not use.
type idle struct {
	on    bool
	since int64 // when the last process was gone, 0 while there are some
	cost  time.Duration
}

// long tells whether there has been no process for long.
func (i *idle) long(now int64, alive int) bool {
	switch {
	case alive > 0:
		i.since = 0
	case i.since == 0:
		i.since = now
	}
	return i.since != 0 && now-i.since >= idleNS
}

// pause is about a second, or a hundred times what a look at all processes
// takes: with thousands of them that is tens of milliseconds.
func (i *idle) pause() time.Duration {
	return max(500*time.Millisecond+rand.N(time.Second), 100*i.cost)
}

// alone is what happens after idleNS without a process of the job. Under Slurm there may be others yet. The
// command of `jobgait run` has ended then, and so has jobgait itself, or it would have called the Epilog: the
// agent must stop itself.
func (a *agent) alone() {
	if a.run.RootPID != 0 {
		a.over = true
		return
	}
	a.sleep()
}

// sleep stops the counters, after all that they have counted was written.
func (a *agent) sleep() {
	a.changed(profile.Epoch{Kind: "idle", Text: "the job has had no process here for a minute: counters stopped"})
	a.last()
	a.idle = idle{on: true}
}

// sleepOn looks for a process of the job and goes back to work when there is
// one. The time asleep is a gap in the profile.
func (a *agent) sleepOn() {
	before := time.Now()
	found := len(a.in.members.List()) > 0
	a.idle.cost = time.Since(before)
	if !found {
		return
	}
	a.idle = idle{}
	if err := a.in.start(); err != nil {
		a.log(err)
	}
	now := a.clock.mono()
	a.sampler.Skip(a.grid.Slot(now))
	a.changed(profile.Epoch{Kind: "idle", Text: "a process of the job: counters go on"})
	a.drain()
	a.meter.reset(now, a.clock.cpu(), a.records(), a.addressRecords())
}

// changed tells of an epoch that begins now.
func (a *agent) changed(e profile.Epoch) {
	e.TimeNS = a.clock.mono()
	a.sampler.Changed(e)
}
