package main

import (
	"runtime"

	"golang.org/x/sys/unix"

	"jobgait/analysis/tracker"
)

// detection runs the period detector beside the agent's loop, within its share of the
// agent's budget.
type detection struct {
	answers chan answer // nil while no request is pending
	askedNS int64       // CPU time of all requests
	sharePS float64     // CPU time that requests may take, in seconds a second
	sinceNS int64       // of the first call of ask
}

// answer is what a request brought and cost.
type answer struct {
	loops []tracker.Loop
	cpuNS int64
}

const (
	// askShare is the share of the budget that detection may take: .2 ms a second at .5 %
	// of two CPUs, where the agent uses 1.7 besides.
	askShare = 0.02
	// firstQuestionNS is the CPU time of the first request (3 to 8 ms there).
	firstQuestionNS = 4e6
)

// newDetection gives detection its share of limitPct percent of each CPU.
func newDetection(limitPct float64, cpus int) detection {
	return detection{sharePS: askShare * limitPct / 100 * float64(cpus)}
}

// ask starts a detection when it is due, the first time once its share has paid for that:
// after 20 s at .5 % of two CPUs, so that a run of 12 s costs nothing more. It works beside
// the agent's loop, which is never kept from its rings for longer than the runtime takes to
// part them. spins is whether the job only waits: the request is then about its other work.
func (d *detection) ask(now int64, p *tracker.Pursuit, spins bool) {
	select {
	case got := <-d.answers:
		d.answers = nil
		d.askedNS += got.cpuNS
		p.Take(got.loops)
		p.Later(float64(got.cpuNS) / 1e9 / d.sharePS)
	default:
	}
	if d.sinceNS == 0 {
		d.sinceNS = now
	}
	if d.answers != nil || float64(now-d.sinceNS)*d.sharePS < firstQuestionNS || !p.Due() {
		return
	}
	request := p.Question()
	if spins {
		request = request.Working()
	}
	d.answers = make(chan answer, 1)
	go detect(request, d.answers)
}

func detect(request tracker.DetectionRequest, to chan<- answer) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	before := threadCPU()
	defer func() { // a detector that fails must not end the agent
		if recover() != nil {
			to <- answer{cpuNS: threadCPU() - before}
		}
	}()
	loops := request.Answer()
	to <- answer{loops, threadCPU() - before}
}

// threadCPU is the CPU time of this thread.
func threadCPU() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// unpaidNS is the CPU time of requests that their share has not paid for yet. They come
// seldom and cost much: rates are not lowered for the one moment.
func (d *detection) unpaidNS(now int64) int64 {
	if d.sinceNS == 0 {
		return 0
	}
	return max(0, d.askedNS-int64(d.sharePS*float64(now-d.sinceNS)))
}
