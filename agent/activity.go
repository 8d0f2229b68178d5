package main

import (
	"jobgait/agent/counter/address"
	"jobgait/agent/counter/kernel"
	"jobgait/analysis/tracker"
)

// activity classifies what the job's processes do, from the CPU time that they used in the last seconds and
// from their states.
type activity struct {
	usualCPUs float64 // mean number of CPUs in use while cycles end
	readings  [cpuReadings]cpuReading
	oldest    int // index of the oldest reading
	// held and ready count the consecutive readings at which a debugger had stopped a process, and at which a
	// process ran or waited for a CPU.
	held, ready int
	// countFrom is when the count of samples of code began. spins says whether all running processes busy-waited
	// in MPI or OpenMP at the last count; "" if other code ran. ownS and cpuS are CPU time so far, in seconds.
	countFrom  int64
	spins      tracker.Doing
	ownS, cpuS float64
}

// cpuReading is the job's total CPU time at one moment.
type cpuReading struct {
	atNS   int64
	usedNS uint64
}

const (
	// cpuReadings is the number of drains, about 0.6 s apart, over which CPU use is averaged.
	cpuReadings = 5
	// minRepeats is the number of consecutive readings at which a process state must be seen: a process that
	// mostly sleeps is awake at single readings.
	minRepeats = 3
	// idleCPUs (in CPUs) and idleShare (of the usual CPU use) limit what counts as no work: threads that wait wake
	// up now and then.
	idleCPUs, idleShare = 0.02, 0.05
	// countNS is the interval, in ns, over which samples of code are counted. maxOtherCPUs is the CPU use, in
	// CPUs, up to which processes that do not wait are ignored while the others wait.
	countNS, maxOtherCPUs = 2e9, 0.1
)

// readActivity records a reading of the CPU time (see classifyActivity). It returns what the job does now, the CPU time
// so far, in seconds, of its working code and of all of its sampled code, and whether it uses MPI.
func (a *agent) readActivity(now int64) tracker.JobActivity {
	y := &a.rhythm.activity
	doing := a.classifyActivity(now)
	return tracker.JobActivity{Doing: doing, OwnS: y.ownS, CPUS: y.cpuS,
		UsesMPI: a.in.code != nil && a.in.code.UsesMPI()}
}

// classifyActivity returns what the job does now. It is busy if it used more CPU time over the last readings than
// idleCPUs and idleShare allow, or if its processes wait for a CPU; if the code samples show only busy-waiting, it
// spins instead. Otherwise it is suspended, waits in the kernel, or sleeps. Without enough readings it is busy. Each
// call adds a reading of the CPU time.
func (a *agent) classifyActivity(now int64) tracker.Doing {
	if a.suspension.reported || a.suspension.firstStoppedNS != 0 {
		return tracker.Suspended
	}
	a.countCode(now)
	y, p := &a.rhythm.activity, a.rhythm.loop.pursuit
	cpus, ok := y.cpusInUse(cpuReading{now, a.in.cpu.UsedNS()})
	if !ok {
		return tracker.Busy
	}
	if p.LostS() == 0 {
		y.usualCPUs += (cpus - y.usualCPUs) / 16
	}
	y.held, y.ready = consecutive(y.held, a.in.cpu.HasState(kernel.Traced)),
		consecutive(y.ready, a.in.cpu.HasState(kernel.Runnable))
	running := tracker.Busy
	if y.spins != "" {
		running = y.spins
	}
	switch {
	case cpus > max(idleCPUs, idleShare*y.usualCPUs):
		return running
	case y.held >= minRepeats:
		return tracker.Suspended
	case y.ready >= minRepeats: // others have its CPUs
		return running
	case a.in.cpu.HasState(kernel.Blocked):
		return tracker.InKernel
	}
	return tracker.Sleeping
}

// cpusInUse replaces the oldest reading by last and returns the mean number of CPUs in use between the two. ok
// is false while there are too few readings.
func (y *activity) cpusInUse(last cpuReading) (cpus float64, ok bool) {
	was := y.readings[y.oldest]
	y.readings[y.oldest] = last
	y.oldest = (y.oldest + 1) % cpuReadings
	if was.atNS == 0 || last.atNS <= was.atNS {
		return 0, false
	}
	return float64(last.usedNS-min(was.usedNS, last.usedNS)) / float64(last.atNS-was.atNS), true
}

// countCode updates spins, ownS and cpuS from the samples of code. Without code sampling it only sets spins to "". If
// one of a thousand ranks does other work, the job counts as busy, because the others wait for that rank.
func (a *agent) countCode(now int64) {
	if a.in.code == nil || a.in.codeOff {
		a.rhythm.activity.spins = ""
		return
	}
	a.rhythm.activity.count(now, a.in.rate.Hz, a.in.code.TakeWaitSamples)
}

// count takes the code samples since the last count from waited, once countNS have passed; the first call only starts
// that interval. It adds the CPU time of working code to ownS and that of all code to cpuS. It sets spins to what the
// job waits for if threads busy-wait and all others use at most maxOtherCPUs, else to "". Too few samples leave spins
// as it was. hz is the number of samples per second and CPU.
func (y *activity) count(now int64, hz float64, waited func() address.WaitingTasks) {
	passed := now - y.countFrom
	switch {
	case y.countFrom == 0:
		y.countFrom = now
		return
	case passed < countNS || hz <= 0:
		return
	}
	w := waited()
	y.countFrom = now
	waits, perCPU := w.InMPI+w.InOpenMP, hz*float64(passed)/1e9
	y.ownS += float64(w.Working) / hz
	y.cpuS += float64(waits+w.Others) / hz
	switch {
	case w.Working == 0 && float64(waits+w.Others) <= idleCPUs*perCPU: // too few samples to tell: as before
	case waits == 0 || float64(w.Others) > maxOtherCPUs*perCPU:
		y.spins = ""
	case w.InMPI > 0: // threads that wait in OpenMP wait for those
		y.spins = tracker.WaitingInMPI
	default:
		y.spins = tracker.WaitingInOpenMP
	}
}

// consecutive returns n+1 if seen, else 0.
func consecutive(n int, seen bool) int {
	if !seen {
		return 0
	}
	return n + 1
}
