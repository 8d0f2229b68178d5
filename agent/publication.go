package main

import (
	"fmt"
	"math"
	"time"

	"jobgait/agent/job/scheduler"
	"jobgait/agent/live"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/tracker"
	"jobgait/configs"
)

// publication publishes the state of the loop to the job's user: in live.json, and on a socket for programs.
type publication struct {
	location  *live.Location // nil without live.json
	written   live.State     // to live.json
	writtenNS int64          // time of the last write to live.json, 0 before the first
	channel   *live.Channel  // nil without a socket for readers of `jobgait watch --stream`
	sent      sentState
}

// sentState is the number of cycles and the loop state that were last sent to readers of the channel.
type sentState struct {
	cycles int
	state  tracker.LoopState
}

const (
	// minWriteNS is the least time between two writes of live.json, and maxWriteNS that between writes of the same
	// state. A program that needs each cycle at once reads the channel.
	minWriteNS, maxWriteNS = 1e9, 5e9
	// maxEpochS is in the year 2200: a later time limit is ignored.
	maxEpochS = 7_258_118_400
)

// openLocation creates and claims the directory of live.json; it returns nil if the settings disable it,
// without a run directory, and, after logging the error, if it could not be made.
func (a *agent) openLocation(c configs.Agent) *live.Location {
	if c.LiveDir == "" || a.dir == "" {
		return nil
	}
	p, err := live.MakeLocation(c.LiveDir, a.run.Job.UID, a.run.Key.String())
	if err == nil {
		err = p.Claim(a.self)
	}
	if err != nil {
		a.log(fmt.Errorf("prepare the directory of %s: %w: jobgait watch cannot show this run", live.Name, err))
		return nil
	}
	return p
}

// listen opens the socket for programs of the user (`jobgait watch --stream`). It does nothing without a
// directory of live.json, and logs an error.
func (a *agent) listen() {
	if a.rhythm == nil || a.rhythm.publication.location == nil {
		return
	}
	c, err := a.rhythm.publication.location.Listen()
	if err != nil {
		a.log(err)
		return
	}
	a.rhythm.publication.channel = c
}

// due reports whether live.json is to be written: after minWriteNS if the state changed, else after maxWriteNS.
func (p *publication) due(now int64, state tracker.LoopState) bool {
	past := now - p.writtenNS
	return past >= maxWriteNS || past >= minWriteNS && state != p.written.State
}

// sendState accepts new readers of the channel and sends the state to all readers if a cycle has ended or the
// state has changed since it was last sent. A new reader gets no state before the next such change.
func (a *agent) sendState(now int64, state tracker.LoopState) {
	p := &a.rhythm.publication
	latest := sentState{a.rhythm.loop.pursuit.Cycles(), state}
	if !p.channel.AcceptReaders() || latest == p.sent {
		return
	}
	p.sent = latest
	p.channel.Send(a.liveState(now, state))
}

// publish replaces live.json, unless the state equals the one last written (sameState). It logs an error of writing
// once for each text. It does nothing without live.json.
func (a *agent) publish(now int64, state tracker.LoopState) {
	if a.rhythm == nil || a.rhythm.publication.location == nil {
		return
	}
	p, s := &a.rhythm.publication, a.liveState(now, state)
	if p.writtenNS > 0 && sameState(s, p.written) {
		return
	}
	if err := p.location.Write(s); err != nil {
		a.logOnce(fmt.Errorf("%w: jobgait watch shows an older state", err))
		return
	}
	p.written, p.writtenNS = s, now
}

// sameState reports whether two states have the same loop state, number of cycles, checkpoint and stall, and so differ
// in little but the time.
func sameState(a, b live.State) bool {
	return a.State == b.State && a.Cycles == b.Cycles && (a.Stalled == nil) == (b.Stalled == nil) &&
		(a.CheckpointS == nil) == (b.CheckpointS == nil) && (a.CheckpointS == nil || *a.CheckpointS == *b.CheckpointS) &&
		(a.Stalled == nil || a.Stalled.Doing == b.Stalled.Doing && a.Stalled.Summary == b.Stalled.Summary)
}

// liveState returns the content of live.json at the time now.
func (a *agent) liveState(now int64, state tracker.LoopState) live.State {
	l, h := &a.rhythm.loop, a.header
	moment := func(s float64) time.Time {
		return time.UnixMilli(int64(1e3 * (h.RunReal + l.startS + s))).UTC()
	}
	s := live.State{Schema: live.Schema, JobID: int64(h.Key.JobID), Node: h.Node, State: state,
		Cycles:   int64(l.pursuit.Cycles()),
		ElapsedS: roundTime(float64(now-h.RunNS) / 1e9), RecentS: []float64{}, Recent: []live.EndedCycle{}, Low: []live.Low{},
		Notes: []note.Note{}, Agent: a.self, Command: a.run.RootPID, Job: live.DescribeJob(a.run.Key, a.describedJob()),
		LimitAt: a.timeLimit()}
	nowS := s.ElapsedS - l.startS
	s.At = moment(nowS)
	l.describe(&s, nowS, moment)
	longest := l.checkpointS()
	if rounded := roundTime(longest); rounded > 0 {
		s.CheckpointS = &rounded
	}
	s.SetLastCheckpoint(longest)
	if since, doing, ok := a.rhythm.watchdog.Stalled(); ok {
		s.Stalled = &live.Stalled{Since: moment(since), Doing: doing, Summary: a.atStall.line}
	}
	return s
}

// describe adds the recent cycles, the period and next boundary, and the stretches of low use to a live state.
// nowS is in seconds since the loop's first sample; moment converts such times.
func (l *loop) describe(s *live.State, nowS float64, moment func(float64) time.Time) {
	for _, c := range l.recent {
		s.RecentS = append(s.RecentS, roundTime(c.LengthS))
		s.Recent = append(s.Recent, live.EndedCycle{N: c.n, Boundary: moment(c.EndS), LengthS: roundTime(c.LengthS),
			Residual: roundTime(max(0, c.Residual))})
	}
	if !math.IsNaN(l.firstS) {
		first := moment(l.firstS)
		s.FirstCycle = &first
	}
	b := l.beat
	if b == nil {
		return
	}
	period, lo, hi, since := roundTime(b.PeriodS), roundTime(b.LoS), roundTime(b.HiS),
		roundTime(max(0, nowS-l.pursuit.LastS()))
	last := moment(l.pursuit.LastS())
	s.PeriodS, s.CILo, s.CIHi, s.LastBoundary, s.SinceBoundaryS = &period, &lo, &hi, &last, &since
	if s.State == tracker.InCycle {
		ahead := b.PeriodS * math.Ceil((nowS-b.NextS)/b.PeriodS)
		next, off := moment(b.NextS+max(0, ahead)), roundTime(b.ErrorS)
		s.NextBoundary, s.BoundaryErrorS = &next, &off
	}
	for _, low := range l.pursuit.Low() {
		one := live.Low{OffsetS: roundTime(low.OffsetS), DurationS: roundTime(low.DurationS), ErrorS: roundTime(low.ErrorS),
			Repeatability: roundTime(low.Repeatability)}
		if !math.IsNaN(low.LastS) {
			began := moment(low.LastS)
			one.LastBegan = &began
		}
		s.Low = append(s.Low, one)
	}
}

// describedJob returns the job as its report will describe it, as far as it is known now.
func (a *agent) describedJob() run.Job {
	j := a.details.known.Complete(a.run, scheduler.ForRun(a.run))
	return j.With(run.Job{Executable: a.programs.program, Script: a.programs.script})
}

// timeLimit returns when the job's time limit ends it, nil if unknown. An end time from the scheduler takes
// precedence over the run's start plus its time limit.
func (a *agent) timeLimit() *time.Time {
	at := time.Time{}
	switch end, limit := a.details.known.End, a.run.Job.TimeLimitS; {
	case end != nil && *end < maxEpochS:
		at = time.Unix(*end, 0).UTC()
	case limit != nil:
		at = time.UnixMilli(int64(1e3 * (a.header.RunReal + *limit))).UTC()
	default:
		return nil
	}
	return &at
}

// roundTime rounds a time in seconds to 0.1 ms.
func roundTime(s float64) float64 { return math.Round(s*1e4) / 1e4 }
