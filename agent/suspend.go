package main

import (
	"jobgait/agent/profile"
)

// suspension is what is known of the job being stopped from outside: scontrol
// suspend and gang scheduling send SIGSTOP to all of its processes, others freeze
// its cgroup. It is looked at whenever the profile is written, of what was read for
// CPU times anyway.
type suspension struct {
	ran  int64  // the last look that saw the job run, CLOCK_MONOTONIC
	seen int64  // the first that did not, 0 while it runs
	on   bool   // it was reported
	used uint64 // CPU time at the last look: only where it stood still is the cgroup asked
}

// watchStops looks whether the job is stopped. A debugger or a shell stops
// processes for a moment: what only one look saw is not told.
func (a *agent) watchStops(now int64) {
	s := &a.suspension
	used := a.in.cpu.UsedNS()
	// slurmstepd goes on, and uses a little, while the users' processes are frozen.
	ask := a.in.frozen != nil && (used == s.used || s.seen != 0)
	stopped := a.in.cpu.Stopped() || ask && a.in.frozen()
	s.used = used
	switch {
	case !stopped:
		if s.on {
			a.changed(profile.Epoch{Kind: profile.ResumedKind, Text: "the job runs again"})
		}
		s.seen, s.on = 0, false
		if a.in.cpu.Alive() > 0 || used > 0 { // before a process is known, nothing was seen to run
			s.ran = now
		}
	case s.seen == 0:
		s.seen = now
	case !s.on:
		s.on = true
		a.sampler.Changed(profile.Epoch{TimeNS: max(s.ran, a.grid.BaseNS), Kind: profile.SuspendedKind,
			Text: "the job is suspended: none of its processes may run"})
	}
}
