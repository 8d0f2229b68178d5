package main

import (
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
	// spinFrom is when the count of processes that wait with their CPU busy began, 0 while
	// cycles end. spins is whether all did that at the last count.
	spinFrom int64
	spins    bool
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
	// spinNS is how long processes that wait with their CPU busy are counted; otherCPUs is
	// how little all others may use beside.
	spinNS, otherCPUs = 2e9, 0.1
)

// doing is what the job's processes do, by what they used in the last seconds.
func (a *agent) doing(now int64) tracker.Doing {
	if a.suspension.on || a.suspension.seen != 0 {
		return tracker.Suspended
	}
	spins := a.spinning(now)
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
		if spins {
			return tracker.Spinning
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

// spinning reports whether every process of the job that uses a CPU waits for others with it.
// It is looked at once no cycle ends any more. One of a thousand ranks at other work makes
// the job busy: the others wait for it.
func (a *agent) spinning(now int64) bool {
	if a.in.code == nil || a.in.codeOff {
		return false
	}
	p := a.rhythm.loop.pursuit
	silent := p.Cycles() > 0 && p.LostS() > 0
	a.in.code.WatchWaiting(silent)
	return a.rhythm.activity.spin(now, silent, a.in.rate.Hz, a.in.code.Waited)
}

// spin counts again when it is due; waited returns the samples of waiting and other code, of
// which there are hz a second and CPU.
func (y *activity) spin(now int64, silent bool, hz float64, waited func() (waits, others int)) bool {
	switch {
	case !silent:
		y.spinFrom, y.spins = 0, false
	case y.spinFrom == 0:
		y.spinFrom = now
	case now-y.spinFrom >= spinNS:
		waits, others := waited()
		y.spins = waits > 0 && float64(others) <= otherCPUs*hz*float64(now-y.spinFrom)/1e9
		y.spinFrom = now
	}
	return y.spins
}

// again counts looks in a row.
func again(n int, seen bool) int {
	if !seen {
		return 0
	}
	return n + 1
}
