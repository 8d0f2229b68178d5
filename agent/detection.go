package main

import (
	"runtime"

	"golang.org/x/sys/unix"

	"jobgait/analysis/tracker"
)

// detection runs the period detector in a goroutine beside the agent's loop, within its share of the agent's
// budget.
type detection struct {
	answers chan detectionResult // nil while no request is pending
	usedNS  int64                // CPU time of all detections so far
	sharePS float64              // CPU time that detections may take, in seconds per second
	sinceNS int64                // time of the first call of update
}

// detectionResult is the loops that one detection found, and its CPU time.
type detectionResult struct {
	loops []tracker.Loop
	cpuNS int64
}

const (
	// detectionShare is the share of the budget that detection may take: 0.2 ms a second at 0.5 % of two CPUs,
	// where the rest of the agent uses 1.7 ms.
	detectionShare = 0.02
	// firstRequestNS is the assumed CPU time of the first detection (3 to 8 ms there).
	firstRequestNS = 4e6
)

// newDetection returns a detection that may use detectionShare of the agent's budget, which is limitPct percent
// of each of the CPUs.
func newDetection(limitPct float64, cpus int) detection {
	return detection{sharePS: detectionShare * limitPct / 100 * float64(cpus)}
}

// update passes the result of a finished detection to the loop tracker and starts the next one when it is due.
// The first starts once the share covers its cost: after 20 s at 0.5 % of two CPUs, so that a run of 12 s has
// no extra cost. If spins is set, the job only busy-waits and the detection ignores waiting code.
func (d *detection) update(now int64, p *tracker.LoopTracker, spins bool) {
	select {
	case got := <-d.answers:
		d.answers = nil
		d.usedNS += got.cpuNS
		p.FollowDetected(got.loops)
		p.Postpone(float64(got.cpuNS) / 1e9 / d.sharePS)
	default:
	}
	if d.sinceNS == 0 {
		d.sinceNS = now
	}
	if d.answers != nil || float64(now-d.sinceNS)*d.sharePS < firstRequestNS || !p.Due() {
		return
	}
	request := p.NextRequest()
	if spins {
		request = request.WorkOnly()
	}
	d.answers = make(chan detectionResult, 1)
	go detect(request, d.answers)
}

// detect runs one detection on its own thread and sends its result and CPU time. A panic gives a result without
// loops.
func detect(request tracker.DetectionRequest, to chan<- detectionResult) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadCPU()
	defer func() { // a detector that fails must not end the agent
		if recover() != nil {
			to <- detectionResult{cpuNS: threadCPU() - before}
		}
	}()
	loops := request.Detect()
	to <- detectionResult{loops, threadCPU() - before}
}

// threadCPU returns the CPU time of this thread in ns, 0 if it cannot be read.
func threadCPU() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// unpaidNS returns the CPU time, in ns, by which detections exceed their share so far. It is not counted as
// overhead, because detections are rare and costly and should not lower rates for one moment.
func (d *detection) unpaidNS(now int64) int64 {
	if d.sinceNS == 0 {
		return 0
	}
	return max(0, d.usedNS-int64(d.sharePS*float64(now-d.sinceNS)))
}
