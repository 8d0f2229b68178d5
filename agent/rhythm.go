package main

import (
	"math"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/counter/kernel"
	"jobgait/agent/job/scheduler"
	"jobgait/agent/live"
	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/tracker"
	"jobgait/configs"
)

// rhythm follows the job's loop in what is written to the profile, and tells the
// job's user.
type rhythm struct {
	pursuit *tracker.Pursuit
	dog     tracker.Watchdog
	columns liveColumns
	next    int64   // the slot that is expected
	startS  float64 // of the first sample that was followed, since the run began
	stepS   float64
	recent  []counted // the last cycles
	firstS  float64   // where the first cycle began that was counted; NaN before
	beat    *tracker.Beat

	answers chan answer // nil while nothing is asked
	askedNS int64       // CPU time of questions
	sharePS float64     // CPU time that questions may take, in seconds a second
	sinceNS int64

	place   *live.Location
	channel *live.Channel // nil without a socket for readers of `jobgait watch --stream`
	sent    sent

	told   live.State
	toldNS int64
	usual  float64 // CPUs in use while cycles end
	used   [looks]use
	at     int
	// held and ready are at how many looks in a row a debugger had a process, and one
	// ran or waited for a CPU.
	held, ready int
	stalled     bool
	// spinFrom is since when it is counted who waits with its CPU busy, spins whether all
	// did that at the last count.
	spinFrom int64
	spins    bool
}

// counted is a cycle with its number.
type counted struct {
	tracker.Cycle
	n int64
}

// use is the job's CPU time at one look.
type use struct {
	atNS   int64
	usedNS uint64
}

const (
	// looks is over how many drains, of about .6 s, CPU time is told to stand still.
	looks = 5
	// sure is from how many of them in a row on a state of a process counts: whatever
	// sleeps is awake at one now and then.
	sure = 3
	// idleCPUs, and idleShare of what is usual, is how little is nothing: threads
	// that wait look round now and then.
	idleCPUs, idleShare = 0.02, 0.05
	// askShare is the share of the budget that questions to detection may take: .2 ms a
	// second at .5 % of two CPUs, where the agent uses 1.7 besides.
	askShare = 0.02
	// firstQuestionNS is the CPU time of the first question (3 to 8 ms there).
	firstQuestionNS = 4e6
	// spinNS is how long it is counted who waits with its CPU busy, otherCPUs how little
	// all others may use beside.
	spinNS, otherCPUs = 2e9, 0.1
	// leastTellNS is between two times that live.json is written, at least, and tellNS
	// where the state is the same: who wants cycles as they come reads the channel.
	leastTellNS, tellNS = 1e9, 5e9
	// mostGap is how many missing slots are followed as such.
	mostGap = 12_000
)

// answer is what a question brought and cost.
type answer struct {
	loops []tracker.Loop
	cpuNS int64
}

// newRhythm follows the columns of a header; nil where there is nothing to follow.
func newRhythm(h profile.Header, in *inputs, place *live.Location) *rhythm {
	r := &rhythm{columns: newLiveColumns(h), stepS: float64(h.StepNS) / 1e9, next: -1, place: place, firstS: math.NaN(),
		sharePS: askShare * in.limitPct / 100 * float64(in.cpus)}
	if len(r.columns.all) == 0 || r.stepS <= 0 {
		return nil
	}
	if in.code != nil {
		r.columns.waits = in.code.Waits
	}
	r.pursuit = tracker.NewPursuit(r.columns.all, r.stepS)
	return r
}

// follow takes a block that is written.
func (r *rhythm) follow(b *profile.Block, h profile.Header, hz float64) {
	for j, c := range r.columns.assign(b) {
		r.pursuit.Replace(j, c)
	}
	if c := busyColumn(hz, h.StepNS); r.columns.coded && c.Source != r.columns.all[busyAt].Source {
		r.columns.all[busyAt] = c
		r.pursuit.Replace(busyAt, c)
	}
	if r.next < 0 {
		r.startS = float64(h.BaseNS-h.RunNS)/1e9 + float64(b.First)*r.stepS
		r.next = b.First
	}
	if gap := b.First - r.next; gap > 0 {
		r.columns.broken()
		r.startS += float64(max(0, gap-mostGap)) * r.stepS
		for range min(gap, mostGap) {
			r.pursuit.Add(r.columns.missing)
		}
	}
	for i := max(0, int(r.next-b.First)); i < b.N; i++ {
		if c, ok := r.pursuit.Add(r.columns.sample(b, i, hz)); ok {
			r.recent = append(r.recent[max(0, len(r.recent)-59):], counted{c, int64(r.pursuit.Cycles())})
			if math.IsNaN(r.firstS) { // those that verified it are counted too
				r.firstS = max(0, c.EndS-float64(r.pursuit.Cycles())*c.LengthS)
			}
		}
	}
	r.next = max(r.next, b.First+int64(b.N))
}

// ask asks detection when it is time, the first time once its share has paid for that:
// after 20 s at .5 % of two CPUs, so that a run of 12 s costs nothing more. It works
// beside the agent's loop, which is never kept from its rings for longer than the
// runtime takes to part them.
func (r *rhythm) ask(now int64) {
	select {
	case got := <-r.answers:
		r.answers = nil
		r.askedNS += got.cpuNS
		r.pursuit.Take(got.loops)
		r.pursuit.Later(float64(got.cpuNS) / 1e9 / r.sharePS)
	default:
	}
	if r.sinceNS == 0 {
		r.sinceNS = now
	}
	if r.answers != nil || float64(now-r.sinceNS)*r.sharePS < firstQuestionNS || !r.pursuit.Due() {
		return
	}
	r.answers = make(chan answer, 1)
	go func(q tracker.DetectionRequest, to chan<- answer) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		before := threadCPU()
		defer func() { // a detector that fails must not end the agent
			if recover() != nil {
				to <- answer{cpuNS: threadCPU() - before}
			}
		}()
		loops := q.Answer()
		to <- answer{loops, threadCPU() - before}
	}(r.question(), r.answers)
}

// question is about what the job does beside waiting, if it only waits.
func (r *rhythm) question() tracker.DetectionRequest {
	q := r.pursuit.Question()
	if r.spins {
		return q.Working()
	}
	return q
}

// threadCPU is the CPU time of this thread.
func threadCPU() int64 {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
		return 0
	}
	return u.Utime.Nano() + u.Stime.Nano()
}

// unpaidNS is the CPU time of questions that is still to be paid for out of their
// share. They come seldom and cost much: rates are not lowered for the one moment.
func (r *rhythm) unpaidNS(now int64) int64 {
	if r == nil || r.sinceNS == 0 {
		return 0
	}
	return max(0, r.askedNS-int64(r.sharePS*float64(now-r.sinceNS)))
}

// asking is whether detection is at work.
func (r *rhythm) asking() bool { return r != nil && r.answers != nil }

// watch follows what was written, and tells what changed.
func (a *agent) watch(now int64) {
	r := a.rhythm
	if r == nil {
		return
	}
	r.ask(now)
	nowS := float64(now-a.header.RunNS)/1e9 - r.startS
	if r.next < 0 || nowS < 0 {
		return
	}
	state := r.dog.Look(nowS, a.doing(now), r.pursuit.Tracker)
	if b, ok := r.pursuit.Beat(); ok {
		r.beat = &b
	}
	since, doing, stalled := r.dog.Stalled()
	switch {
	case stalled && !r.stalled:
		a.changed(profile.Epoch{Kind: profile.StalledKind, Text: string(doing), SinceS: r.startS + since})
		a.onStall.stall(a.state(now, state), a.run.Job.User, a.run.Job.UID)
	case !stalled && r.stalled:
		a.changed(profile.Epoch{Kind: profile.MovingKind, Text: "a cycle again, or other work"})
	}
	r.stalled = stalled
	if err := a.onStall.failed(); err != nil {
		a.log(err)
	}
	if past := now - r.toldNS; past >= tellNS || past >= leastTellNS && state != r.told.State {
		a.publish(now, state)
	}
	a.stream(now, state)
}

// sent is what readers of the channel were last sent: the number of cycles, and the state.
type sent struct {
	cycles int
	state  tracker.LoopState
}

// stream sends the state to readers of the channel once a cycle has ended, or the state has changed.
func (a *agent) stream(now int64, state tracker.LoopState) {
	r := a.rhythm
	latest := sent{r.pursuit.Cycles(), state}
	if !r.channel.Read() || latest == r.sent {
		return
	}
	r.sent = latest
	r.channel.Tell(a.state(now, state))
}

// publish replaces live.json if there is anything new to say.
func (a *agent) publish(now int64, state tracker.LoopState) {
	r := a.rhythm
	if r == nil || r.place == nil {
		return
	}
	s := a.state(now, state)
	if r.toldNS > 0 && same(s, r.told) {
		return
	}
	if err := r.place.Write(s); err != nil {
		if !a.failed[err.Error()] {
			a.failed[err.Error()] = true
			a.log(err)
		}
		return
	}
	r.told, r.toldNS = s, now
}

// same is whether nothing has changed but the time.
func same(a, b live.State) bool {
	return a.State == b.State && a.Cycles == b.Cycles && (a.Stalled == nil) == (b.Stalled == nil) &&
		(a.Stalled == nil || a.Stalled.Doing == b.Stalled.Doing)
}

// state is what is known now.
func (a *agent) state(now int64, state tracker.LoopState) live.State {
	r, h := a.rhythm, a.header
	moment := func(s float64) time.Time {
		return time.UnixMilli(int64(1e3 * (h.RunReal + r.startS + s))).UTC()
	}
	s := live.State{Schema: live.Schema, JobID: int64(h.Key.JobID), Node: h.Node, State: state,
		Cycles:   int64(r.pursuit.Cycles()),
		ElapsedS: rounded(float64(now-h.RunNS) / 1e9), RecentS: []float64{}, Recent: []live.EndedCycle{}, Low: []live.Low{},
		Notes: []note.Note{}, Agent: a.self, Command: a.run.RootPID,
		Job: live.JobOf(a.run.Key, a.described())}
	nowS := s.ElapsedS - r.startS
	s.At = moment(nowS)
	for _, c := range r.recent {
		s.RecentS = append(s.RecentS, rounded(c.LengthS))
		s.Recent = append(s.Recent, live.EndedCycle{N: c.n, Boundary: moment(c.EndS), LengthS: rounded(c.LengthS),
			Residual: rounded(max(0, c.Residual))})
	}
	if b := r.beat; b != nil {
		period, lo, hi, since := rounded(b.PeriodS), rounded(b.LoS), rounded(b.HiS), rounded(max(0, nowS-r.pursuit.LastS()))
		last := moment(r.pursuit.LastS())
		s.PeriodS, s.CILo, s.CIHi, s.LastBoundary, s.SinceBoundaryS = &period, &lo, &hi, &last, &since
		if state == tracker.InCycle {
			ahead := b.PeriodS * math.Ceil((nowS-b.NextS)/b.PeriodS)
			next, off := moment(b.NextS+max(0, ahead)), rounded(b.ErrorS)
			s.NextBoundary, s.BoundaryErrorS = &next, &off
		}
		for _, l := range r.pursuit.Low() {
			s.Low = append(s.Low, live.Low{OffsetS: rounded(l.OffsetS), DurationS: rounded(l.DurationS),
				ErrorS: rounded(l.ErrorS), Repeatability: rounded(l.Repeatability)})
			if l.LastS == l.LastS {
				began := moment(l.LastS)
				s.Low[len(s.Low)-1].LastBegan = &began
			}
		}
	}
	if !math.IsNaN(r.firstS) {
		first := moment(r.firstS)
		s.FirstCycle = &first
	}
	s.LimitAt = a.limit()
	if since, doing, ok := r.dog.Stalled(); ok {
		s.Stalled = &live.Stalled{Since: moment(since), Doing: doing}
	}
	return s
}

// described is the job as its report will describe it, as far as that is known.
func (a *agent) described() run.Job {
	j := a.learner.known.Complete(a.run, scheduler.OfRun(a.run))
	return j.With(run.Job{Executable: a.program, Script: a.script})
}

// limit is when the job's time limit is, nil if nobody told.
func (a *agent) limit() *time.Time {
	at := time.Time{}
	switch end, limit := a.learner.known.End, a.run.Job.TimeLimitS; {
	case end != nil && *end < maxEpochS:
		at = time.Unix(*end, 0).UTC()
	case limit != nil:
		at = time.UnixMilli(int64(1e3 * (a.header.RunReal + *limit))).UTC()
	default:
		return nil
	}
	return &at
}

// maxEpochS is in the year 2200: what is later is no limit, and no reader believes it.
const maxEpochS = 7_258_118_400

// rounded is a time in seconds to a tenth of a millisecond.
func rounded(s float64) float64 { return math.Round(s*1e4) / 1e4 }

// doing is what the job's processes do, by what they used in the last seconds.
func (a *agent) doing(now int64) tracker.Doing {
	r := a.rhythm
	if a.suspension.on || a.suspension.seen != 0 {
		return tracker.Suspended
	}
	spins := a.spinning(now)
	was := r.used[r.at]
	r.used[r.at] = use{now, a.in.cpu.UsedNS()}
	last := r.used[r.at]
	r.at = (r.at + 1) % looks
	if was.atNS == 0 || now <= was.atNS {
		return tracker.Busy
	}
	cpus := float64(last.usedNS-min(was.usedNS, last.usedNS)) / float64(now-was.atNS)
	if r.pursuit.LostS() == 0 {
		r.usual += (cpus - r.usual) / 16
	}
	r.held, r.ready = again(r.held, a.in.cpu.In(kernel.Traced)), again(r.ready, a.in.cpu.In(kernel.Runnable))
	switch {
	case cpus > max(idleCPUs, idleShare*r.usual):
		if spins {
			return tracker.Spinning
		}
		return tracker.Busy
	case r.held >= sure:
		return tracker.Suspended
	case r.ready >= sure: // others have its CPUs
		return tracker.Busy
	case a.in.cpu.In(kernel.Blocked):
		return tracker.InKernel
	}
	return tracker.Sleeping
}

// spinning is whether whoever of the job uses a CPU waits for others with it. It is asked
// once no cycle ends any more. One of a thousand ranks that does something else is a job
// that does: the others wait for it.
func (a *agent) spinning(now int64) bool {
	r := a.rhythm
	if a.in.code == nil || a.in.codeOff {
		return false
	}
	silent := r.pursuit.Cycles() > 0 && r.pursuit.LostS() > 0
	a.in.code.WatchWaiting(silent)
	return r.spin(now, silent, a.in.rate.Hz, a.in.code.Waited)
}

// spin counts again when it is time, waited the samples, of which there are hz a second
// and CPU.
func (r *rhythm) spin(now int64, silent bool, hz float64, waited func() (waits, others int)) bool {
	switch {
	case !silent:
		r.spinFrom, r.spins = 0, false
	case r.spinFrom == 0:
		r.spinFrom = now
	case now-r.spinFrom >= spinNS:
		waits, others := waited()
		r.spins = waits > 0 && float64(others) <= otherCPUs*hz*float64(now-r.spinFrom)/1e9
		r.spinFrom = now
	}
	return r.spins
}

// again counts looks in a row.
func again(n int, seen bool) int {
	if !seen {
		return 0
	}
	return n + 1
}

// place is where the job's user is told; nil where he is not to be, or it could not
// be made.
func (a *agent) place(c configs.Agent) *live.Location {
	if c.LiveDir == "" || a.dir == "" {
		return nil
	}
	p, err := live.Make(c.LiveDir, a.run.Job.UID, a.run.Key.String())
	if err == nil {
		err = p.Claim(a.self)
	}
	if err != nil {
		a.log(err)
		return nil
	}
	return p
}

// listen opens the channel for programs of the user (`jobgait watch --stream`).
func (a *agent) listen() {
	if a.rhythm == nil || a.rhythm.place == nil {
		return
	}
	c, err := a.rhythm.place.Listen()
	if err != nil {
		a.log(err)
		return
	}
	a.rhythm.channel = c
}
