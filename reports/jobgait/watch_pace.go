package main

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"jobgait/agent/job"
	"jobgait/agent/live"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
)

// pacer says when a run ends, by as many cycles as the user says it makes, or as
// earlier runs made. They are asked for once for each description of the job: it is
// complete some seconds after the job began.
type pacer struct {
	cycles  int64 // what the user says, 0 for nothing
	earlier func(live.Job) []history.Run

	asked bool
	about live.Job
	runs  []history.Run
}

// of is nil where nothing can be said.
func (p *pacer) of(s live.State) *live.Pace {
	if s.FirstCycle == nil || s.LastBoundary == nil || s.PeriodS == nil {
		return nil
	}
	began := s.At.Add(-seconds(s.ElapsedS))
	done := application.Progress{Cycles: s.Cycles, FirstS: max(0, s.FirstCycle.Sub(began).Seconds()), LastS: s.LastBoundary.Sub(began).Seconds(), PeriodS: *s.PeriodS}
	if s.CILo != nil && s.CIHi != nil {
		done.LoS, done.HiS = *s.CILo, *s.CIHi
	}
	if !p.asked || !p.same(s.Job) {
		p.asked, p.about, p.runs = true, s.Job, p.earlier(s.Job)
	}
	usual, ok := application.UsualOf(p.runs, done.PeriodS)
	if p.cycles > 0 {
		if ok { // of these the time beside the cycles is known
			usual.Runs, usual.Least, usual.Cycles, usual.Most = 0, p.cycles, p.cycles, p.cycles
		} else {
			usual, ok = application.Told(p.cycles, done), true
		}
	}
	if !ok {
		return nil
	}
	lo, at, hi, ok := application.Ends(usual, done)
	if !ok || hi > mostPaceS {
		return nil
	}
	pace := live.Pace{CyclesUsual: usual.Cycles, Runs: usual.Runs, EndsAt: began.Add(seconds(at)), EndsLo: began.Add(seconds(lo)), EndsHi: began.Add(seconds(hi)), LimitAt: s.LimitAt}
	if !pace.EndsHi.After(s.At) {
		return nil // it should have ended
	}
	pace.LimitFirst = s.LimitAt != nil && s.LimitAt.Before(pace.EndsAt)
	return &pace
}

// mostPaceS is the longest run that an end is told of, ten years.
const mostPaceS = 10 * 366 * 86400

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second))
}

// same is whether a job is called what it was when its earlier runs were asked for.
func (p *pacer) same(j live.Job) bool {
	a, b := summaryOf(p.about), summaryOf(j)
	return p.about.Cluster == j.Cluster && history.Application(a) == history.Application(b) && history.Shape(a) == history.Shape(b)
}

// summaryOf returns a summary that holds only what names the application and the shape
// of a live job.
func summaryOf(j live.Job) summary.Summary {
	return summary.Summary{Key: run.Key{Cluster: j.Cluster}, Job: run.Job{Name: j.Name, App: j.App, Executable: j.Executable,
		Script: j.Script, Size: j.Size, NNodes: j.NNodes, NTasks: j.NTasks, CPUsPerTask: j.CPUsPerTask}}
}

// mostEarlier is how many earlier runs are read: ten of them that came to their end
// are wanted.
const mostEarlier = 50

// earlier are the user's runs of the application in that shape, newest first; none
// without a history.
func (o watchOptions) earlier(ctx context.Context, j live.Job) []history.Run {
	s := summaryOf(j)
	app := history.Application(s)
	if app == history.Unknown {
		return nil
	}
	path, err := o.pastOf()
	if err != nil {
		return nil
	}
	db, _, err := openHistory(ctx, o.getenv, path)
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }()
	runs, err := db.Runs(ctx, history.Query{Cluster: j.Cluster, User: userName(), App: app, Shape: history.Shape(s), Limit: mostEarlier})
	if err != nil {
		return nil
	}
	return runs
}

// pastOf is the history to read, "" for the usual one. Root reads his own alone, where
// nobody else can put a file.
func (o watchOptions) pastOf() (string, error) {
	if os.Geteuid() != 0 {
		return "", nil
	}
	cfg, err := settings(configs.OneMachine(o.getenv))
	if err != nil {
		return "", err
	}
	return cfg.History.Path, job.Ours(filepath.Dir(cfg.History.Path))
}
