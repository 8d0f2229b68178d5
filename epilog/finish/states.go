package finish

import (
	"context"
	"fmt"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	jobreport "jobgait/reports/job"
)

// The scheduler is queried for the state of runs that lack one: of runs younger than stateQueryMaxAge, at most
// maxStateQueries at once. The age covers an accounting database that was down for a night, and ends queries
// for runs that it never knew.
const (
	stateQueryMaxAge = 24 * time.Hour
	maxStateQueries  = 300
)

// stateWait is how long after its end AwaitEndStates waits for the state of a run.
const stateWait = 2 * time.Minute

// AwaitEndStates queries the scheduler, with growing pauses, until all runs that ended less than stateWait ago
// have a state, for about a minute at most. It returns nil if states are still missing then. A job's state
// exists only when its last Epilog has returned, and without accounting it is forgotten five minutes later.
func (f Finisher) AwaitEndStates(ctx context.Context) error {
	for pause := time.Second; ; pause *= 2 {
		left, err := f.QueryEndStates(ctx)
		if err != nil || left == 0 || pause > 32*time.Second {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for how %d runs ended: %w: the next sweep queries them", left, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// QueryEndStates queries the scheduler once for the end states of recent runs in the history and stores them. It
// returns how many runs that ended less than stateWait ago still lack a state. It does nothing if this host has
// no history, or if the scheduler cannot be queried.
func (f Finisher) QueryEndStates(ctx context.Context) (left int, err error) {
	if !f.Scheduler.CanQuery() {
		return 0, nil
	}
	left, err = withHistory(ctx, f, false, func(db *history.DB) (int, error) { return f.storeStates(ctx, db) })
	if err != nil {
		return left, fmt.Errorf("store in the history how jobs ended: %w: the next sweep tries it again", err)
	}
	return left, nil
}

// storeStates queries the scheduler for the runs in db that lack a state, or a comment if the settings request
// comments. It stores the states and writes the comments of the runs that ended (storeComments). It only logs an
// error of the query. It returns for how many runs that ended less than stateWait ago the scheduler has no state yet.
func (f Finisher) storeStates(ctx context.Context, db *history.DB) (left int, err error) {
	now := time.Now()
	runs, err := db.UnsettledRuns(ctx, epoch(now.Add(-stateQueryMaxAge)), maxStateQueries, f.wantsComments())
	if err != nil || len(runs) == 0 {
		return 0, err
	}
	questions := make([]job.EndingQuery, 0, len(runs))
	for _, r := range runs {
		questions = append(questions, job.EndingQuery{JobID: r.JobID, Start: r.Start, End: r.End})
	}
	endings, err := f.Scheduler.Endings(ctx, questions)
	if err != nil {
		f.Log("query how jobs ended: %v: a later sweep tries it again", err)
	}
	var ended []history.RunEnd
	var settled []history.UnsettledRun
	for _, r := range runs {
		switch e := job.EndingOf(endings, r.JobID, r.UID, r.Start, r.SchedulerStart); {
		case e != nil:
			if !r.HasState {
				ended = append(ended, history.RunEnd{RunID: r.RunID, State: e.State, Exit: e.Exit})
			}
			settled = append(settled, r)
		case r.End > epoch(now.Add(-stateWait)):
			left++
		}
	}
	if len(ended) > 0 {
		if err := db.PutStates(ctx, ended, epoch(now), jobreport.Findings); err != nil {
			return left, err
		}
	}
	return left, f.storeComments(ctx, db, settled)
}
