package main

import (
	"jobgait/analysis/tracker"
)

// hurry is what is done for programs that read `jobgait watch --stream`: as long as one
// does, code and counters are drained and looked at twenty times a second, what is
// written stays as it is, and a boundary is told when it is found. It is the first thing
// that is given up where it costs too much, and does not come back.
type hurry struct {
	on, tooDear bool
	cycles      int // that were told
	state       tracker.State
	doneNS      int64
}

// A look every 50 ms on average, at moments as random as all others (package comment
// of schedule), none sooner after another than leastHurryNS.
const hurryNS, hurrySpreadNS, leastHurryNS = 50e6, 25e6, 25e6

// hasten looks for readers, and begins or ends hurrying.
func (a *agent) hasten(now int64) {
	r := a.rhythm
	read := r.channel.Read()
	switch want := read && !r.hurry.tooDear; {
	case want && !r.hurry.on:
		a.schedule.hurry(now, hurryNS, hurrySpreadNS)
		r.hurry.on = true
	case !want && r.hurry.on:
		a.schedule.rest()
		r.hurry.on = false
	}
	if read {
		a.ahead(now)
		a.tell(now, r.state)
	}
}

// giveUpHurry is whether there was something to give up.
func (a *agent) giveUpHurry() bool {
	if a.rhythm == nil || !a.rhythm.hurry.on {
		return false
	}
	a.rhythm.hurry.on, a.rhythm.hurry.tooDear = false, true
	a.schedule.rest()
	return true
}

// glance drains what has rings, and follows what came without writing it.
func (a *agent) glance(now int64) {
	r := a.rhythm
	if r == nil || !r.hurry.on || r.next < 0 || now-r.hurry.doneNS < leastHurryNS {
		return
	}
	r.hurry.doneNS = now
	for i := range a.in.sources {
		if a.in.everyNS(i) == 0 {
			a.drainOne(i)
		}
	}
	a.ahead(now)
	a.tell(now, r.state)
}

// ahead follows slots that are not written yet.
func (a *agent) ahead(now int64) {
	r := a.rhythm
	for a.sampler.Peek(r.next, now, &r.seen) {
		whole := r.columns.whole(&r.seen)
		r.take(&r.seen, whole, a.header, a.in.rate.Hz)
		if whole < r.seen.N {
			return // the rest comes when it is written
		}
	}
}

// tell tells readers of cycles that ended, and of another state.
func (a *agent) tell(now int64, state tracker.State) {
	r := a.rhythm
	if r.pursuit.Cycles() != r.hurry.cycles {
		if _, held := r.pursuit.Beat(); held {
			state = tracker.InCycle
		}
	} else if state == r.hurry.state {
		return
	}
	r.hurry.cycles, r.hurry.state = r.pursuit.Cycles(), state
	if b, ok := r.pursuit.Beat(); ok {
		r.beat = &b
	}
	r.channel.Tell(a.state(now, state))
}
