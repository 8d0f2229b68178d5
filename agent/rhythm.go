package main

import (
	"jobgait/agent/live"
	"jobgait/agent/profile"
	"jobgait/analysis/tracker"
)

// rhythm follows the job's loop in the blocks written to the profile, detects stalls, and publishes the state.
type rhythm struct {
	loop        loop
	detection   detection
	activity    activity
	publication publication
	watchdog    tracker.Watchdog
	stalled     bool // at the last update
	unreported  bool // the site's program waits until a stall is confirmed and its stacks are read
}

// newRhythm returns the rhythm for a profile's columns; nil if no column can show a loop. place may be nil:
// then nothing is published.
func newRhythm(h profile.Header, in *inputs, place *live.Location) *rhythm {
	var waits func(page uint64) bool
	if in.code != nil {
		waits = in.code.IsWaitingPage
	}
	l := newLoop(h, waits)
	if l.pursuit == nil {
		return nil
	}
	return &rhythm{loop: l, detection: newDetection(in.limitPct, in.cpus), publication: publication{location: place}}
}

// detecting reports whether a detection is running.
func (r *rhythm) detecting() bool { return r != nil && r.detection.answers != nil }

// unpaidNS returns the CPU time, in ns, by which detections exceed their share so far.
func (r *rhythm) unpaidNS(now int64) int64 {
	if r == nil {
		return 0
	}
	return r.detection.unpaidNS(now)
}

// onlyWaits reports whether the job waits with its CPUs busy and no loop holds.
func (r *rhythm) onlyWaits() bool {
	p := r.loop.pursuit
	return r.activity.spins != "" && p.LostS() > 0 && (p.Cycles() > 0 || r.watchdog.WaitsOnly())
}

// updateRhythm starts due detections, updates the loop state and the stall watchdog, records the begin and end
// of a stall, reads call stacks and starts the program live.on_stall at a confirmed stall, and publishes what changed.
func (a *agent) updateRhythm(now int64) {
	r := a.rhythm
	if r == nil {
		return
	}
	r.detection.update(now, r.loop.pursuit, r.onlyWaits())
	nowS := float64(now-a.header.RunNS)/1e9 - r.loop.startS
	if r.loop.nextSlot < 0 || nowS < 0 {
		return
	}
	state := r.watchdog.Update(nowS, a.readActivity(now), r.loop.pursuit.Tracker)
	r.loop.updateBeat()
	if a.in.use.Written != nil {
		r.loop.followWriting(a.in.use.Written(), a.header.RunNS)
	}
	since, doing, stalled := r.watchdog.Stalled()
	switch {
	case stalled && !r.stalled:
		r.unreported = true
		a.recordEpoch(profile.Epoch{Kind: profile.StalledKind, Text: string(doing), SinceS: r.loop.startS + since,
			NoLoop: !r.watchdog.Looped()})
	case !stalled && r.stalled:
		a.recordEpoch(profile.Epoch{Kind: profile.MovingKind, Text: "a cycle again, or other work"})
	}
	confirmed := stalled && nowS-since >= a.atStall.afterS
	a.stacksAtStall(now, confirmed, string(doing))
	r.stalled, r.unreported = stalled, r.unreported && stalled
	if r.unreported && confirmed && !a.atStall.busy() {
		r.unreported = false
		a.onStall.startOnce(a.liveState(now, state), a.run.Job.User, a.run.Job.UID)
	}
	if err := a.onStall.takeError(); err != nil {
		a.log(err)
	}
	if r.publication.due(now, state) {
		a.publish(now, state)
	}
	a.sendState(now, state)
}
