package main

import (
	"math"
	"time"

	"jobgait/agent/job/scheduler"
	"jobgait/agent/live"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/tracker"
	"jobgait/configs"
)

// publication is where the job's user reads the state of the loop: live.json, and a channel
// for programs.
type publication struct {
	place   *live.Location // nil without live.json
	written live.State     // to live.json
	whenNS  int64          // of that, 0 before
	channel *live.Channel  // nil without a socket for readers of `jobgait watch --stream`
	sent    sent
}

// sent is what readers of the channel were last sent: the number of cycles, and the state.
type sent struct {
	cycles int
	state  tracker.LoopState
}

const (
	// leastTellNS is between two writes of live.json, at least, and tellNS where the state
	// is the same: a program that wants cycles as they come reads the channel.
	leastTellNS, tellNS = 1e9, 5e9
	// maxEpochS is in the year 2200: a later time limit is not believed.
	maxEpochS = 7_258_118_400
)

// location returns where live.json is written; nil where the settings want none, or it could
// not be made.
func (a *agent) location(c configs.Agent) *live.Location {
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
	if a.rhythm == nil || a.rhythm.publication.place == nil {
		return
	}
	c, err := a.rhythm.publication.place.Listen()
	if err != nil {
		a.log(err)
		return
	}
	a.rhythm.publication.channel = c
}

// due reports whether live.json is to be written.
func (p *publication) due(now int64, state tracker.LoopState) bool {
	past := now - p.whenNS
	return past >= tellNS || past >= leastTellNS && state != p.written.State
}

// stream sends the state to readers of the channel once a cycle has ended, or the state has
// changed.
func (a *agent) stream(now int64, state tracker.LoopState) {
	p := &a.rhythm.publication
	latest := sent{a.rhythm.loop.pursuit.Cycles(), state}
	if !p.channel.Read() || latest == p.sent {
		return
	}
	p.sent = latest
	p.channel.Tell(a.state(now, state))
}

// publish replaces live.json unless only the time has changed.
func (a *agent) publish(now int64, state tracker.LoopState) {
	if a.rhythm == nil || a.rhythm.publication.place == nil {
		return
	}
	p, s := &a.rhythm.publication, a.state(now, state)
	if p.whenNS > 0 && same(s, p.written) {
		return
	}
	if err := p.place.Write(s); err != nil {
		if !a.failed[err.Error()] {
			a.failed[err.Error()] = true
			a.log(err)
		}
		return
	}
	p.written, p.whenNS = s, now
}

// same reports whether two states differ in nothing but the time.
func same(a, b live.State) bool {
	return a.State == b.State && a.Cycles == b.Cycles && (a.Stalled == nil) == (b.Stalled == nil) &&
		(a.Stalled == nil || a.Stalled.Doing == b.Stalled.Doing && a.Stalled.Summary == b.Stalled.Summary)
}

// state is what is known now.
func (a *agent) state(now int64, state tracker.LoopState) live.State {
	l, h := &a.rhythm.loop, a.header
	moment := func(s float64) time.Time {
		return time.UnixMilli(int64(1e3 * (h.RunReal + l.startS + s))).UTC()
	}
	s := live.State{Schema: live.Schema, JobID: int64(h.Key.JobID), Node: h.Node, State: state,
		Cycles:   int64(l.pursuit.Cycles()),
		ElapsedS: rounded(float64(now-h.RunNS) / 1e9), RecentS: []float64{}, Recent: []live.EndedCycle{}, Low: []live.Low{},
		Notes: []note.Note{}, Agent: a.self, Command: a.run.RootPID, Job: live.JobOf(a.run.Key, a.described()),
		LimitAt: a.limit()}
	nowS := s.ElapsedS - l.startS
	s.At = moment(nowS)
	l.describe(&s, nowS, moment)
	if longest := rounded(l.pauses.checkpointS()); longest > 0 {
		s.CheckpointS, s.LastCheckpointBy = &longest, live.LastCheckpointBy(s.LimitAt, longest)
	}
	if since, doing, ok := a.rhythm.dog.Stalled(); ok {
		s.Stalled = &live.Stalled{Since: moment(since), Doing: doing, Summary: a.atStall.line}
	}
	return s
}

// describe adds the cycles, the beat and the low stretches of a loop. Times are in seconds
// since its first sample.
func (l *loop) describe(s *live.State, nowS float64, moment func(float64) time.Time) {
	for _, c := range l.recent {
		s.RecentS = append(s.RecentS, rounded(c.LengthS))
		s.Recent = append(s.Recent, live.EndedCycle{N: c.n, Boundary: moment(c.EndS), LengthS: rounded(c.LengthS),
			Residual: rounded(max(0, c.Residual))})
	}
	if !math.IsNaN(l.firstS) {
		first := moment(l.firstS)
		s.FirstCycle = &first
	}
	b := l.beat
	if b == nil {
		return
	}
	period, lo, hi, since := rounded(b.PeriodS), rounded(b.LoS), rounded(b.HiS), rounded(max(0, nowS-l.pursuit.LastS()))
	last := moment(l.pursuit.LastS())
	s.PeriodS, s.CILo, s.CIHi, s.LastBoundary, s.SinceBoundaryS = &period, &lo, &hi, &last, &since
	if s.State == tracker.InCycle {
		ahead := b.PeriodS * math.Ceil((nowS-b.NextS)/b.PeriodS)
		next, off := moment(b.NextS+max(0, ahead)), rounded(b.ErrorS)
		s.NextBoundary, s.BoundaryErrorS = &next, &off
	}
	for _, low := range l.pursuit.Low() {
		one := live.Low{OffsetS: rounded(low.OffsetS), DurationS: rounded(low.DurationS), ErrorS: rounded(low.ErrorS),
			Repeatability: rounded(low.Repeatability)}
		if !math.IsNaN(low.LastS) {
			began := moment(low.LastS)
			one.LastBegan = &began
		}
		s.Low = append(s.Low, one)
	}
}

// described is the job as its report will describe it, as far as that is known.
func (a *agent) described() run.Job {
	j := a.learner.known.Complete(a.run, scheduler.OfRun(a.run))
	return j.With(run.Job{Executable: a.program, Script: a.script})
}

// limit is when the job's time limit is, nil where that is not known.
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

// rounded is a time in seconds to a tenth of a millisecond.
func rounded(s float64) float64 { return math.Round(s*1e4) / 1e4 }
