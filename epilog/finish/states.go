package finish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/configs"
)

// Runs without a state are asked for while they are this young, so many at once:
// an accounting database that was down for a night is caught up with, and one that
// never knew them is not asked for ever.
const (
	statesFor  = 24 * time.Hour
	statesMost = 300
)

// sacct answers from a database, scontrol only while the controller remembers the
// job, which is asked for one by one.
const (
	sacctLimit    = 20 * time.Second
	rememberedFor = 10 * time.Minute
	oneByOne      = 20
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
	if f.Config.Slurm == (configs.Slurm{}) {
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
	endings, err := f.endings(ctx, runs, now)
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
	return left, db.PutStates(ctx, ended, epoch(now))
}

// endings is what the scheduler says of runs: its accounting, else its controller.
func (f Finisher) endings(ctx context.Context, runs []history.Stateless, now time.Time) ([]job.Ending, error) {
	var failed error
	if f.Config.Slurm.Sacct != "" {
		list, err := f.sacct(ctx, runs)
		if err == nil {
			return list, nil
		}
		failed = err
	}
	if f.Config.Slurm.Scontrol == "" {
		return nil, failed
	}
	var list []job.Ending
	for _, r := range runs[:min(len(runs), oneByOne)] {
		if r.End < epoch(now.Add(-rememberedFor)) {
			break // the newest stand first
		}
		d, err := f.scontrol(ctx, r.JobID, scontrolLimit)
		if e, ok := d.Ending(r.JobID); ok {
			list = append(list, e)
		}
		if err != nil && !errors.Is(err, errUnknownJob) {
			return list, err // it would fail for each of them
		}
	}
	return list, nil
}

// sacct asks for all runs of the ids at once, requeued ones too.
func (f Finisher) sacct(ctx context.Context, runs []history.Stateless) ([]job.Ending, error) {
	since := runs[0].Start
	ids := make([]string, 0, len(runs))
	for _, r := range runs {
		ids = append(ids, r.JobID.String())
		since = min(since, r.Start)
	}
	// An hour before the first: clocks differ. The time is UTC, as the command's is.
	from := sacctTime(since - 3600)
	out, err := f.accounting(ctx, "-a", "-D", "-S", from, "-j", strings.Join(ids, ","), "-o", job.SacctFields)
	return job.FromSacct(out), err
}

// sacctTime is a time of ours as sacct reads it.
func sacctTime(s float64) string { return time.Unix(int64(s), 0).UTC().Format("2006-01-02T15:04:05") }

// accounting runs sacct for whole jobs, without a head.
func (f Finisher) accounting(ctx context.Context, args ...string) ([]byte, error) {
	out, complaint, err := f.command(ctx, sacctLimit, f.Config.Slurm.Sacct, append([]string{"-X", "-n", "-P"}, args...)...)
	if err != nil {
		return nil, fmt.Errorf("ask sacct: %w: %.200s", err, complaint)
	}
	return out, nil
}
