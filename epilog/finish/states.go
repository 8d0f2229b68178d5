package finish

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	jobreport "jobgait/reports/job"
)

// The state of a run without one is queried up to this age, for a limited number of runs at once: this covers
// an accounting database that was down for a night, and does not query for ever one that never knew the runs.
const (
	statesFor  = 24 * time.Hour
	statesMost = 300
)

// justEnded is how long after its end a run without a state is waited for.
const justEnded = 2 * time.Minute

// AwaitStates asks until no run is left that ended just now, at most for a minute:
// the state of a job exists only when its last Epilog has returned, and without
// accounting it is forgotten five minutes later.
func (f Finisher) AwaitStates(ctx context.Context) error {
	for pause := time.Second; ; pause *= 2 {
		left, err := f.LearnStates(ctx)
		if err != nil || left == 0 || pause > 32*time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// LearnStates asks the scheduler once how the recent runs in the history ended, and
// returns how many that ended just now are left without an answer. A history that is
// not here is not made.
func (f Finisher) LearnStates(ctx context.Context) (left int, err error) {
	if !f.Scheduler.Remembers() {
		return 0, nil
	}
	if _, err := os.Stat(f.Config.History.Path); errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	db, err := f.history(ctx)
	if err != nil {
		return 0, err
	}
	left, err = f.learn(ctx, db)
	return left, errors.Join(err, db.Close())
}

func (f Finisher) learn(ctx context.Context, db *history.DB) (left int, err error) {
	now := time.Now()
	runs, err := db.Stateless(ctx, epoch(now.Add(-statesFor)), statesMost)
	if err != nil || len(runs) == 0 {
		return 0, err
	}
	questions := make([]job.Question, 0, len(runs))
	for _, r := range runs {
		questions = append(questions, job.Question{JobID: r.JobID, Start: r.Start, End: r.End})
	}
	endings, err := f.Scheduler.Endings(ctx, questions)
	if err != nil {
		f.Log("%v", err)
	}
	var ended []history.Ended
	for _, r := range runs {
		switch e := job.EndingOf(endings, r.JobID, r.UID, r.Start, r.SchedulerStart); {
		case e != nil:
			ended = append(ended, history.Ended{RunID: r.RunID, State: e.State, Exit: e.Exit})
		case r.End > epoch(now.Add(-justEnded)):
			left++
		}
	}
	if len(ended) == 0 {
		return left, nil
	}
	if err := db.PutStates(ctx, ended, epoch(now), jobreport.Findings); err != nil {
		return left, err
	}
	f.comment(ctx, db, runs, ended)
	return left, nil
}
