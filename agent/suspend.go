package main

import (
	"jobgait/agent/profile"
)

// suspension tracks whether the job is stopped from outside: scontrol suspend and gang scheduling send SIGSTOP
// to all of its processes, other tools freeze its cgroup. It is updated when the profile is written, from the
// CPU times that are read anyway.
type suspension struct {
	lastRunningNS  int64  // when the job was last seen running, CLOCK_MONOTONIC
	firstStoppedNS int64  // when it was first seen stopped, 0 while it runs
	reported       bool   // the suspension was written to the profile
	usedNS         uint64 // CPU time at the last check; the cgroup is read only if it has not grown
}

// checkSuspended checks whether the job is stopped: all of its processes, or its cgroup is frozen. It records an epoch
// when the job was stopped at two checks in a row, and when it runs again after that. A single stop may be that of a
// debugger or a shell.
func (a *agent) checkSuspended(now int64) {
	s := &a.suspension
	used := a.in.cpu.UsedNS()
	// slurmstepd goes on, and uses a little, while the users' processes are frozen.
	ask := a.in.frozen != nil && (used == s.usedNS || s.firstStoppedNS != 0)
	stopped := a.in.cpu.Stopped() || ask && a.in.frozen()
	s.usedNS = used
	switch {
	case !stopped:
		if s.reported {
			a.recordEpoch(profile.Epoch{Kind: profile.ResumedKind, Text: "the job runs again"})
		}
		s.firstStoppedNS, s.reported = 0, false
		if a.in.cpu.Alive() > 0 || used > 0 { // before a process is known, nothing was seen to run
			s.lastRunningNS = now
		}
	case s.firstStoppedNS == 0:
		s.firstStoppedNS = now
	case !s.reported:
		s.reported = true
		a.recordEpochAt(max(s.lastRunningNS, a.grid.BaseNS), profile.Epoch{Kind: profile.SuspendedKind,
			Text: "the job is suspended: none of its processes may run"})
	}
}
