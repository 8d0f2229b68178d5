package main

import (
	"jobgait/agent/counter/address"
	"jobgait/agent/counter/kernel"
	"jobgait/analysis/tracker"
)

// activity is what the job's processes do, by the CPU time that they used in the last
// seconds and by their states.
type activity struct {
	usual float64 // CPUs in use while cycles end
	used  [looks]use
	at    int // of the oldest in used
	// held and ready count the looks in a row at which a debugger had a process, and at
	// which one ran or waited for a CPU.
	held, ready int
	// countFrom is when the count of samples of code began. spins is in what all processes that ran waited with
	// their CPUs busy at the last count, "" if others ran. ownS and cpuS are CPU time so far, in seconds.
	countFrom  int64
	spins      tracker.Doing
	ownS, cpuS float64
}

// use is the job's CPU time at one look.
type use struct {
	atNS   int64
	usedNS uint64
}

const (
	// looks is how many drains, of about .6 s, CPU time must stand still.
	looks = 5
	// sure is how many looks in a row a state of a process must last: every process that
	// sleeps is awake at one of them now and then.
	sure = 3
	// idleCPUs and idleShare, of what is usual, are below what counts as work: threads that
	// wait look round now and then.
	idleCPUs, idleShare = 0.02, 0.05
	// countNS is how long samples of code are counted; otherCPUs is how much processes may use that do not wait
	// while the others do.
	countNS, otherCPUs = 2e9, 0.1
)

// seen is what the job's processes do, and the CPU time of their code.
func (a *agent) seen(now int64) tracker.JobActivity {
	y := &a.rhythm.activity
	doing := a.doing(now)
	return tracker.JobActivity{Doing: doing, OwnS: y.ownS, CPUS: y.cpuS,
		UsesMPI: a.in.code != nil && a.in.code.UsesMPI()}
}

// doing is what the job's processes do, by what they used in the last seconds.
func (a *agent) doing(now int64) tracker.Doing {
	if a.suspension.on || a.suspension.seen != 0 {
		return tracker.Suspended
	}
	a.countCode(now)
	y, p := &a.rhythm.activity, a.rhythm.loop.pursuit
	cpus, ok := y.use(use{now, a.in.cpu.UsedNS()})
	if !ok {
		return tracker.Busy
	}
	if p.LostS() == 0 {
		y.usual += (cpus - y.usual) / 16
	}
	y.held, y.ready = again(y.held, a.in.cpu.In(kernel.Traced)), again(y.ready, a.in.cpu.In(kernel.Runnable))
	switch {
	case cpus > max(idleCPUs, idleShare*y.usual):
		if y.spins != "" {
			return y.spins
		}
		return tracker.Busy
	case y.held >= sure:
		return tracker.Suspended
	case y.ready >= sure: // others have its CPUs
		return tracker.Busy
	case a.in.cpu.In(kernel.Blocked):
		return tracker.InKernel
	}
	return tracker.Sleeping
}

// use returns the CPUs in use since the oldest look, which last replaces; ok is false while
// there are too few looks.
func (y *activity) use(last use) (cpus float64, ok bool) {
	was := y.used[y.at]
	y.used[y.at] = last
	y.at = (y.at + 1) % looks
	if was.atNS == 0 || last.atNS <= was.atNS {
		return 0, false
	}
	return float64(last.usedNS-min(was.usedNS, last.usedNS)) / float64(last.atNS-was.atNS), true
}

// countCode counts the samples of code when that is due. One of a thousand ranks at other work makes the job busy: the
// others wait for it.
func (a *agent) countCode(now int64) {
	if a.in.code == nil || a.in.codeOff {
		a.rhythm.activity.spins = ""
		return
	}
	a.rhythm.activity.count(now, a.in.rate.Hz, a.in.code.Waited)
}

// count takes the samples since the last call when it is due; there are hz a second and CPU.
func (y *activity) count(now int64, hz float64, waited func() address.Waited) {
	passed := now - y.countFrom
	switch {
	case y.countFrom == 0:
		y.countFrom = now
		return
	case passed < countNS || hz <= 0:
		return
	}
	w := waited()
	y.countFrom, y.spins = now, ""
	y.ownS += float64(w.Working) / hz
	y.cpuS += float64(w.InMPI+w.InOpenMP+w.Others) / hz
	switch waits := w.InMPI + w.InOpenMP; {
	case waits == 0 || float64(w.Others) > otherCPUs*hz*float64(passed)/1e9:
	case w.InMPI > 0: // threads that wait in OpenMP wait for those
		y.spins = tracker.WaitingInMPI
	default:
		y.spins = tracker.WaitingInOpenMP
	}
}

// again counts looks in a row.
func again(n int, seen bool) int {
	if !seen {
		return 0
	}
	return n + 1
}
