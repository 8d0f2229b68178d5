package tracker

// Doing is what the processes of a job do while no cycle ends.
type Doing string

// What they may do. Busy is code other than that of waiting.
const (
	Busy      Doing = "busy"
	Sleeping  Doing = "sleeping"
	InKernel  Doing = "waiting in the kernel"
	Spinning  Doing = "spinning in libraries that wait"
	Suspended Doing = "suspended"
)

// LoopState is how a job stands to its loop.
type LoopState string

// States of a job. Starting is before the first detection, None while no loop was found, LeftLoop while the job
// is busy with something else.
const (
	Starting    LoopState = "starting"
	None        LoopState = "none"
	InCycle     LoopState = "in_cycle"
	LeftLoop    LoopState = "left_loop"
	Stalled     LoopState = "stalled"
	IsSuspended LoopState = "suspended"
	Ended       LoopState = "ended"
)

// A loop is stalled without a cycle for a multiple of its longest usual interval and a least number of seconds,
// if there were enough cycles to know what is usual and the job did nothing for the last quietS.
const (
	stalledAfter = 5
	stalledS     = 10
	leastCycles  = 20
	quietS       = 5
	// leftAfter intervals and leftS seconds without a cycle have left the loop: what a
	// job does is known from seconds of CPU time.
	leftAfter, leftS = 3, 5
)

// Watchdog judges the silence of a tracker's loop. It is looked at about every
// second.
type Watchdog struct {
	quietFrom float64 // since when nothing is done, in seconds; negative while something is
	doing     Doing
	lookS     float64 // the last look
	pausedS   float64 // suspended since the last cycle
	cycles    int     // at the last look
	state     LoopState
	sinceS    float64
}

// Look takes what the job does now, in seconds since the first sample, and returns
// its state.
func (w *Watchdog) Look(nowS float64, doing Doing, t *Tracker) LoopState {
	if w.doing == "" {
		w.lookS = nowS
	}
	if t.Cycles() != w.cycles {
		w.cycles, w.pausedS = t.Cycles(), 0
	}
	switch {
	case doing == Suspended:
		w.pausedS += nowS - w.lookS
		w.quietFrom = -1
	case doing == Busy:
		w.quietFrom = -1
	case w.quietFrom < 0 || w.doing == "" || w.doing == Busy || w.doing == Suspended:
		w.quietFrom = nowS
	}
	w.doing, w.lookS = doing, nowS
	w.judge(nowS, t)
	return w.state
}

func (w *Watchdog) judge(nowS float64, t *Tracker) {
	_, held := t.Beat()
	silence, usual := nowS-t.LastS()-w.pausedS, t.usualS()
	switch {
	case w.doing == Suspended:
		w.state = IsSuspended
	case held:
		w.state = InCycle
	case t.Cycles() == 0:
		if w.state = None; nowS < firstS {
			w.state = Starting
		}
	case t.Cycles() >= leastCycles && silence >= max(stalledAfter*usual, stalledS) && w.quietFrom >= 0 &&
		nowS-w.quietFrom >= quietS:
		w.state, w.sinceS = Stalled, t.LastS()
	case w.state == Stalled && w.quietFrom >= 0: // it goes on as it was
	case silence < max(leftAfter*usual, leftS) || w.quietFrom >= 0:
		w.state = InCycle // a pause, not more
	default:
		w.state = LeftLoop
	}
}

// Stalled says since when, in seconds since the first sample, and what the job does;
// false while it is not stalled.
func (w *Watchdog) Stalled() (sinceS float64, doing Doing, ok bool) {
	return w.sinceS, w.doing, w.state == Stalled
}
