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

// Pacer says when a run ends, by as many cycles as the user says it makes, or as earlier runs made. They are
// queried once for each description of the job, which is complete some seconds after the job began.
type Pacer struct {
	// Cycles is how many the user says that the run makes, 0 for nothing.
	Cycles int64
	// Earlier returns earlier runs of the application of a job.
	Earlier func(live.Job) []history.Run
	// Checkpoint returns the longest checkpoint of earlier runs in seconds, 0 where none is known; nil asks for none.
	Checkpoint func([]history.Run) float64

	asked       bool
	about       live.Job
	runs        []history.Run
	checkpointS float64
}

// learn asks for the earlier runs of a job, once for each description of it.
func (p *Pacer) learn(j live.Job) {
	if p.asked && p.same(j) {
		return
	}
	p.asked, p.about, p.runs, p.checkpointS = true, j, p.Earlier(j), 0
	if p.Checkpoint != nil {
		p.checkpointS = p.Checkpoint(p.runs)
	}
}

// LastCheckpointBy returns by when a checkpoint must begin to end before the time limit: the earlier of what this run
// and what earlier runs say; nil where the limit or the length of checkpoints is not known.
func (p *Pacer) LastCheckpointBy(s live.State) *time.Time {
	if s.LimitAt == nil {
		return nil
	}
	p.learn(s.Job)
	longest := p.checkpointS
	if s.CheckpointS != nil {
		longest = max(longest, *s.CheckpointS)
	}
	return live.LastCheckpointBy(s.LimitAt, longest)
}

// Pace returns when a run ends, nil where nothing is known of that.
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
	p.learn(s.Job)
	usual, ok := application.UsualOf(p.runs, done.PeriodS)
	if p.Cycles > 0 {
		if ok { // of these the time beside the cycles is known
			usual.Runs, usual.Least, usual.Cycles, usual.Most = 0, p.Cycles, p.Cycles, p.Cycles
		} else {
			usual, ok = application.Told(p.Cycles, done), true
		}
	}
	if !ok {
		return nil
	}
	lo, at, hi, ok := application.Ends(usual, done)
	if !ok || hi > mostPaceS {
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

// mostPaceS is the longest run with a predicted end, ten years.
const mostPaceS = 10 * 366 * 86400

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second))
}

// same reports whether a job's description is unchanged since its earlier runs were queried.
func (p *Pacer) same(j live.Job) bool {
	a, b := SummaryOf(p.about), SummaryOf(j)
	return p.about.Cluster == j.Cluster && history.Application(a) == history.Application(b) &&
		history.Shape(a) == history.Shape(b)
}

// SummaryOf returns a summary that holds only what names the application and the shape
// of a live job.
func SummaryOf(j live.Job) summary.Summary {
	return summary.Summary{Key: run.Key{Cluster: j.Cluster},
		Job: run.Job{Name: j.Name, App: j.App, Executable: j.Executable,
			Script: j.Script, Size: j.Size, NNodes: j.NNodes, NTasks: j.NTasks, CPUsPerTask: j.CPUsPerTask}}
}

// endState is the state of a run whose agent is gone.
func endState(s live.State) tracker.LoopState {
	if s.State == tracker.Ended {
		return s.State
	}
	return Dead
}
