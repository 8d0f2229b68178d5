package application

import (
	"context"
	"errors"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// Newest are the newest runs of series that were put, so that each is judged once, and
// how many of its series were put.
type Newest map[string]struct {
	run summary.Summary
	put int
}

// Add takes a run that was put.
func (n Newest) Add(s summary.Summary) {
	key := seriesOf(s)
	known := n[key]
	if known.put == 0 || s.Start > known.run.Start {
		known.run = s
	}
	known.put++
	n[key] = known
}

func seriesOf(s summary.Summary) string {
	return s.Key.Cluster + "\x00" + history.User(s) + "\x00" + history.Application(s) + "\x00" + history.Shape(s)
}

// judgedEvery is after how many runs of the past their series is judged. The hooks do
// so with each run, which takes .13 s on a large site: 37 hours for a million runs. A
// judgement looks back 200 runs; what changed before is not found.
const judgedEvery = 20

// AddPast takes a run that was put after those that ended before it, long ago, and
// reviews its series when it is time.
func (n Newest) AddPast(ctx context.Context, db *history.DB, s summary.Summary) error {
	n.Add(s)
	if n[seriesOf(s)].put < judgedEvery {
		return nil
	}
	return n.reviewOf(ctx, db, s, 0)
}

// Review reviews each of them, until the history fails. What is found was found at UTC
// epoch seconds at; 0 is when the newest run ended, for runs of the past.
func (n Newest) Review(ctx context.Context, db *history.DB, at float64) (failed error) {
	for _, known := range n {
		err := n.reviewOf(ctx, db, known.run, at)
		failed = errors.Join(failed, err)
		if history.Unavailable(err) {
			break // it would fail for each of them
		}
	}
	return failed
}

// reviewOf reviews the newest run of the series of s, which need not be again.
func (n Newest) reviewOf(ctx context.Context, db *history.DB, s summary.Summary, at float64) error {
	key := seriesOf(s)
	run := n[key].run
	delete(n, key)
	if at == 0 {
		at = run.End
	}
	l, err := LookAt(ctx, db, run, DefaultLimits())
	if err != nil {
		return err
	}
	return l.Store(ctx, db, run, at)
}
