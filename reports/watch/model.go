package watch

import (
	"time"

	"jobgait/agent/live"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/analysis/tracker"
)

// Pacer predicts when a run ends, from the number of cycles that the user gives or that earlier runs made.
// Earlier runs are queried once per description of the job, which is complete some seconds after the job began.
type Pacer struct {
	// Cycles is the number of cycles of the run that the user gives, 0 if unknown.
	Cycles int64
	// Earlier returns earlier runs of the application of a job.
	Earlier func(live.Job) []history.Run
	// Checkpoint returns the longest checkpoint of earlier runs in s, 0 if none is known; it may be nil.
	Checkpoint func([]history.Run) float64

	asked       bool
	about       live.Job
	runs        []history.Run
	checkpointS float64
}

// loadEarlier queries the earlier runs of a job and derives the length of its checkpoints from them, once per
// description of the job.
func (p *Pacer) loadEarlier(j live.Job) {
	if p.asked && p.same(j) {
		return
	}
	p.asked, p.about, p.runs, p.checkpointS = true, j, p.Earlier(j), 0
	if p.Checkpoint != nil {
		p.checkpointS = p.Checkpoint(p.runs)
	}
}

// SetLastCheckpoint sets in s by when a checkpoint must begin to end before the time limit, or why that is unknown. It
// assumes the longest checkpoint of this run and of earlier runs.
func (p *Pacer) SetLastCheckpoint(s *live.State) {
	longest := 0.0
	if s.LimitAt != nil {
		p.loadEarlier(s.Job)
		longest = p.checkpointS
	}
	if s.CheckpointS != nil {
		longest = max(longest, *s.CheckpointS)
	}
	s.SetLastCheckpoint(longest)
}

// Pace returns when a run is expected to end, from the number of cycles that the user gives, else from that of earlier
// runs; nil if that is unknown, too far ahead, or already past.
func (p *Pacer) Pace(s live.State) *live.Pace {
	if s.FirstCycle == nil || s.LastBoundary == nil || s.PeriodS == nil {
		return nil
	}
	began := s.At.Add(-seconds(s.ElapsedS))
	done := application.Progress{Cycles: s.Cycles, FirstS: max(0, s.FirstCycle.Sub(began).Seconds()),
		LastS: s.LastBoundary.Sub(began).Seconds(), PeriodS: *s.PeriodS}
	if s.CILo != nil && s.CIHi != nil {
		done.LoS, done.HiS = *s.CILo, *s.CIHi
	}
	p.loadEarlier(s.Job)
	usual, ok := application.UsualCyclesOfRuns(p.runs, done.PeriodS)
	if p.Cycles > 0 {
		if ok { // of these the time beside the cycles is known
			usual.Runs, usual.Least, usual.Cycles, usual.Most = 0, p.Cycles, p.Cycles, p.Cycles
		} else {
			usual, ok = application.UsualCyclesFromUser(p.Cycles, done), true
		}
	}
	if !ok {
		return nil
	}
	lo, at, hi, ok := application.EstimateEnd(usual, done)
	if !ok || hi > maxPaceS {
		return nil
	}
	pace := live.Pace{CyclesUsual: usual.Cycles, Runs: usual.Runs, EndsAt: began.Add(seconds(at)),
		EndsLo: began.Add(seconds(lo)), EndsHi: began.Add(seconds(hi)), LimitAt: s.LimitAt}
	if !pace.EndsHi.After(s.At) {
		return nil // it should have ended
	}
	pace.LimitFirst = s.LimitAt != nil && s.LimitAt.Before(pace.EndsAt)
	return &pace
}

// maxPaceS is the longest run in s for which an end is predicted, ten years.
const maxPaceS = 10 * 366 * 86400

// seconds converts seconds to a duration.
func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second))
}

// same reports whether a job's description is unchanged since its earlier runs were queried.
func (p *Pacer) same(j live.Job) bool {
	a, b := SummaryOf(p.about), SummaryOf(j)
	return p.about.Cluster == j.Cluster && history.Application(a) == history.Application(b) &&
		history.Shape(a) == history.Shape(b)
}

// SummaryOf returns a summary with only the fields that identify the application and the shape of a live job.
func SummaryOf(j live.Job) summary.Summary {
	return summary.Summary{Key: run.Key{Cluster: j.Cluster},
		Job: run.Job{Name: j.Name, App: j.App, Executable: j.Executable,
			Script: j.Script, Size: j.Size, NNodes: j.NNodes, NTasks: j.NTasks, CPUsPerTask: j.CPUsPerTask}}
}

// endState returns the state of a run whose agent has ended: tracker.Ended if the agent reported the run's end, else
// Dead.
func endState(s live.State) tracker.LoopState {
	if s.State == tracker.Ended {
		return s.State
	}
	return Dead
}
