package main

import (
	"fmt"
	"math/rand/v2"
	"time"

	"jobgait/agent/profile"
)

// idleNS is how long a node may be without any process of the job before its counters are stopped. Nodes
// without a step are normal, so the agent then waits for a process.
const idleNS = 60e9

// idle tracks whether the node is without processes of the job.
type idle struct {
	active   bool
	since    int64 // when the last process had gone, 0 while processes exist
	listCost time.Duration
}

// processGoneLong records the number of live processes and reports whether there has been none for idleNS.
func (i *idle) processGoneLong(now int64, alive int) bool {
	switch {
	case alive > 0:
		i.since = 0
	case i.since == 0:
		i.since = now
	}
	return i.since != 0 && now-i.since >= idleNS
}

// pause returns the time to the next search for a process: 0.5 to 1.5 s at random, or a hundred times the
// duration of the last search if that is longer.
func (i *idle) pause() time.Duration {
	return max(500*time.Millisecond+rand.N(time.Second), 100*i.listCost)
}

// handleNoProcess is called after idleNS without a process of the job. Under Slurm the node becomes idle,
// because processes may still come. Under `jobgait run` the command and jobgait itself have ended without
// calling the Epilog, so the agent stops.
func (a *agent) handleNoProcess() {
	if a.run.RootPID != 0 {
		a.over = true
		return
	}
	a.enterIdle()
}

// enterIdle writes what the counters have counted and stops them.
func (a *agent) enterIdle() {
	a.recordEpoch(profile.Epoch{Kind: "idle", Text: "the job has had no process here for a minute: counters stopped"})
	a.drainFinal()
	a.idle = idle{active: true}
}

// wakeIfProcess looks for a process of the job on an idle node. If there is one, it ends the idle state and restarts
// the counters. The idle time is a gap in the profile.
func (a *agent) wakeIfProcess() {
	before := time.Now()
	found := len(a.in.members.List()) > 0
	a.idle.listCost = time.Since(before)
	if !found {
		return
	}
	a.idle = idle{}
	a.in.cpu.ReadAll(false)
	if err := a.in.start(); err != nil {
		a.log(fmt.Errorf("%w: the counters that did not start stay stopped", err))
	}
	now := a.clock.mono()
	a.sampler.Skip(a.grid.Slot(now))
	a.recordEpoch(profile.Epoch{Kind: "idle", Text: "a process of the job: counters go on"})
	a.drain()
	a.overhead.meter.reset(now, a.clock.cpu(), a.records(len(a.in.sources)), a.totalAddressRecords())
}

// recordEpoch adds an epoch that begins now to the profile.
func (a *agent) recordEpoch(e profile.Epoch) { a.recordEpochAt(a.clock.mono(), e) }
