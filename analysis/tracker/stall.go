package tracker

// Doing is what the processes of a job do.
type Doing string

// Activities of processes. Busy means code other than waiting.
const (
	Busy            Doing = "busy"
	Sleeping        Doing = "sleeping"
	InKernel        Doing = "waiting in the kernel"
	WaitingInMPI    Doing = "waiting in MPI"
	WaitingInOpenMP Doing = "waiting at an OpenMP barrier"
	Suspended       Doing = "suspended"
)

// Spins reports whether processes with this activity wait with their CPUs busy.
func (d Doing) Spins() bool { return d == WaitingInMPI || d == WaitingInOpenMP }

// quiet reports whether no process works: each sleeps, or waits in the kernel or with its CPU busy. A suspended job is
// not quiet.
func (d Doing) quiet() bool { return d != Busy && d != Suspended }

// JobActivity is what the processes of a job do at one look.
type JobActivity struct {
	Doing Doing
	// OwnS is the CPU time so far in the program's own code and the libraries that do its work, CPUS that in all
	// code, in seconds; 0 where code is not sampled.
	OwnS, CPUS float64
	UsesMPI    bool
}

// LoopState is the state of a job with respect to its loop.
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

const (
	// A loop is stalled without a cycle for stalledAfter of its longest usual intervals and stalledS seconds, if
	// there were leastCycles to know what is usual and the job did nothing for the last quietS.
	stalledAfter = 5
	stalledS     = 10
	leastCycles  = 20
	quietS       = 5
	// With a loop or without, a job is stalled when it waits in MPI or OpenMP, and runs none of its own code, for
	// stalledAfter of its longest stretches like this that ended, and for waitingS seconds. Before that, its own
	// code must have run for ownS seconds and for ownShare of the CPU time: a program that does nothing but
	// communicate is not stalled. Of a program that uses MPI all tasks of a node may sleep: others may wait for them
	// on other nodes.
	waitingS       = 30
	doubtS         = 4 // two counts of the agent's samples of code
	ownS, ownShare = 1, 0.02
	// A job without a loop whose processes sleep is stalled after IdleS seconds, and stalledAfter of its longest
	// stretches, if they were busy for busyS before.
	busyS = 60
	// leftAfter intervals and leftS seconds without a cycle have left the loop: what a
	// job does is known from seconds of CPU time.
	leftAfter, leftS = 3, 5
	// seenAfterS is how late the end of work is seen: it is known from the samples of the last seconds.
	seenAfterS = 2
)

// IdleS is for how many seconds the processes of a job without a loop must sleep to be idle.
const IdleS = 300

// Watchdog judges whether a job is stalled: by the silence of a tracker's loop, and by stretches in which it runs none
// of its own code. It is looked at about every second.
type Watchdog struct {
	quietFrom  float64 // since when nothing is done, in seconds; negative while something is
	activity   JobActivity
	lookS      float64 // the last look
	pausedS    float64 // suspended since the last cycle
	cycles     int     // at the last look
	state      LoopState
	sinceS     float64
	busyS      float64 // how long it was busy in all
	ownCodeRan bool    // at the last look at which it was busy
	usualS     float64 // the longest stretch in which nothing was done and that ended
	spun       Doing   // how it waited with its CPUs busy in this stretch, "" if it did not
	// ended is the last stretch in which nothing was done, until own code confirms that it has ended.
	ended endedStretch
}

// endedStretch is a stretch in which nothing was done, from fromS to toS. ownS is the CPU time in own code at its end.
type endedStretch struct{ fromS, toS, ownS float64 }

// Update records what the job does at time nowS, in seconds since the first sample, and returns its state.
func (w *Watchdog) Update(nowS float64, seen JobActivity, t *Tracker) LoopState {
	if w.activity.Doing == "" {
		w.lookS = nowS
	}
	if t.Cycles() != w.cycles {
		w.cycles, w.pausedS = t.Cycles(), 0
	}
	switch {
	case seen.Doing == Suspended:
		w.pausedS += nowS - w.lookS
		w.quietFrom, w.ended = -1, endedStretch{}
	case seen.Doing == Busy:
		w.endQuiet(nowS, seen)
	case w.quietFrom < 0 || !w.activity.Doing.quiet() || w.activity.Doing == "":
		w.beginQuiet(nowS)
	}
	if seen.Doing.Spins() {
		w.spun = seen.Doing
	}
	w.activity, w.lookS = seen, nowS
	w.setState(nowS, t)
	return w.state
}

// beginQuiet begins a quiet stretch, in which the job does nothing. It continues the previous one if the job has been
// busy for doubtS at most since then and none of its own code was seen to run: where other programs take the CPUs, a
// job that waits can look busy for a moment.
func (w *Watchdog) beginQuiet(nowS float64) {
	if w.ended.toS > 0 && nowS-w.ended.toS <= doubtS {
		w.quietFrom = w.ended.fromS
	} else {
		w.quietFrom, w.spun = nowS, ""
	}
	w.ended = endedStretch{}
}

// endQuiet ends a quiet stretch, and learns its length once own code has run since, or where code is
// not sampled.
func (w *Watchdog) endQuiet(nowS float64, seen JobActivity) {
	if w.quietFrom >= 0 && w.activity.Doing.quiet() && w.busyS > 0 {
		w.ended = endedStretch{w.quietFrom, nowS, w.activity.OwnS}
	}
	if w.ended.toS > 0 && (seen.OwnS > w.ended.ownS || seen.CPUS == 0) {
		w.usualS = max(w.usualS, w.ended.toS-w.ended.fromS)
		w.ended = endedStretch{}
	}
	w.quietFrom = -1
	w.busyS += nowS - w.lookS
	w.ownCodeRan = seen.OwnS >= ownS && seen.OwnS >= ownShare*seen.CPUS
}

// setState sets the state of the job at time nowS. It uses the activity that Update was last called with, and
// the time, without suspensions, since a cycle of any of t's loops last ended.
func (w *Watchdog) setState(nowS float64, t *Tracker) {
	_, held := t.CurrentLoop()
	silence, usual := nowS-t.LastS()-w.pausedS, t.usualS()
	switch {
	case w.activity.Doing == Suspended:
		w.state = IsSuspended
	case held:
		w.state = InCycle
	case w.state == Stalled && w.quietFrom >= 0: // it goes on as it was
	case t.Cycles() >= leastCycles && silence < max(stalledAfter*usual, stalledS):
		w.pause(silence, usual)
	case t.Cycles() >= leastCycles && w.quietFrom >= 0 && nowS-w.quietFrom >= quietS:
		w.state, w.sinceS = Stalled, t.LastS()
	case w.waitsInVain(nowS) || t.Cycles() < leastCycles && w.idle(nowS):
		w.state, w.sinceS = Stalled, max(0, w.quietFrom-seenAfterS)
	case t.Cycles() == 0:
		if w.state = None; nowS < firstS {
			w.state = Starting
		}
	default:
		w.pause(silence, usual)
	}
}

// pause sets the state of a job whose loop is no longer followed and that is not stalled: InCycle after a short
// silence or while the job does nothing, else LeftLoop.
func (w *Watchdog) pause(silence, usual float64) {
	w.state = LeftLoop
	if silence < max(leftAfter*usual, leftS) || w.quietFrom >= 0 {
		w.state = InCycle // a pause, not more
	}
}

// waitsInVain reports whether the job has waited, in MPI or OpenMP or asleep if it uses MPI, for waitingS seconds and
// for stalledAfter times its longest such stretch that ended, after its own code ran.
func (w *Watchdog) waitsInVain(nowS float64) bool {
	waits := w.spun != "" || w.activity.UsesMPI
	return w.quietFrom >= 0 && waits && w.ownCodeRan &&
		nowS-w.quietFrom >= max(stalledAfter*w.usualS, waitingS)
}

// WaitsOnly reports whether the job has only waited in MPI or OpenMP for some seconds, although its own code ran
// before.
func (w *Watchdog) WaitsOnly() bool {
	return w.quietFrom >= 0 && w.spun != "" && w.ownCodeRan && w.lookS-w.quietFrom >= quietS
}

// idle reports whether the job's processes have slept for IdleS seconds and for stalledAfter times their longest such
// stretch that ended, after they were busy for busyS seconds.
func (w *Watchdog) idle(nowS float64) bool {
	return w.quietFrom >= 0 && w.spun == "" && w.busyS >= busyS &&
		nowS-w.quietFrom >= max(stalledAfter*w.usualS, IdleS)
}

// Looped reports whether the job has made enough cycles to know what is usual.
func (w *Watchdog) Looped() bool { return w.cycles >= leastCycles }

// Stalled returns since when the job is stalled, in seconds since the first sample, and what it does; false
// while it is not stalled.
func (w *Watchdog) Stalled() (sinceS float64, doing Doing, ok bool) {
	doing = w.activity.Doing
	if w.spun != "" { // and slept now and then
		doing = w.spun
	}
	return w.sinceS, doing, w.state == Stalled
}
