package main

import (
	"jobgait/agent/live"
	"jobgait/agent/profile"
	"jobgait/analysis/tracker"
)

// rhythm follows the job's loop in what is written to the profile, and publishes its state.
type rhythm struct {
	loop        loop
	detection   detection
	activity    activity
	publication publication
	dog         tracker.Watchdog
	stalled     bool // at the last call of watch
	unreported  bool // the site's program waits for the stacks of a stall
}

// newRhythm follows the columns of a header; nil where there is nothing to follow.
func newRhythm(h profile.Header, in *inputs, place *live.Location) *rhythm {
	var waits func(page uint64) bool
	if in.code != nil {
		waits = in.code.Waits
	}
	l := newLoop(h, waits)
	if l.pursuit == nil {
		return nil
	}
	return &rhythm{loop: l, detection: newDetection(in.limitPct, in.cpus), publication: publication{place: place}}
}

// asking reports whether a detection is running.
func (r *rhythm) asking() bool { return r != nil && r.detection.answers != nil }

// unpaidNS is the CPU time of detection that its share has not paid for yet.
func (r *rhythm) unpaidNS(now int64) int64 {
	if r == nil {
		return 0
	}
	return r.detection.unpaidNS(now)
}

// onlyWaits reports whether the job waits with its CPUs busy and no loop holds.
func (r *rhythm) onlyWaits() bool {
	p := r.loop.pursuit
	return r.activity.spins != "" && p.LostS() > 0 && (p.Cycles() > 0 || r.dog.WaitsOnly())
}

// watch follows what was written, and publishes what changed.
func (a *agent) watch(now int64) {
	r := a.rhythm
	if r == nil {
		return
	}
	r.detection.ask(now, r.loop.pursuit, r.onlyWaits())
	nowS := float64(now-a.header.RunNS)/1e9 - r.loop.startS
	if r.loop.next < 0 || nowS < 0 {
		return
	}
	state := r.dog.Look(nowS, a.seen(now), r.loop.pursuit.Tracker)
	r.loop.update()
	since, doing, stalled := r.dog.Stalled()
	switch {
	case stalled && !r.stalled:
		r.unreported = true
		a.changed(profile.Epoch{Kind: profile.StalledKind, Text: string(doing), SinceS: r.loop.startS + since,
			NoLoop: !r.dog.Looped()})
	case !stalled && r.stalled:
		a.changed(profile.Epoch{Kind: profile.MovingKind, Text: "a cycle again, or other work"})
	}
	a.stacksAtStall(now, stalled, string(doing))
	r.stalled = stalled
	if r.unreported && !a.atStall.busy() {
		r.unreported = false
		a.onStall.stall(a.state(now, state), a.run.Job.User, a.run.Job.UID)
	}
	if err := a.onStall.failed(); err != nil {
		a.log(err)
	}
	if r.publication.due(now, state) {
		a.publish(now, state)
	}
	a.stream(now, state)
}
