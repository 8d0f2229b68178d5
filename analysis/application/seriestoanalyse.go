package application

import (
	"context"
	"errors"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// SeriesToAnalyse holds, for each series that got new runs, its newest run and the number of runs added, so that
// each series is analysed once for many runs. Its keys identify series.
type SeriesToAnalyse map[string]struct {
	run summary.Summary
	put int
}

// Add records that run s was stored, so that its series is analysed later.
func (n SeriesToAnalyse) Add(s summary.Summary) {
	key := seriesOf(s)
	known := n[key]
	if known.put == 0 || s.Start > known.run.Start {
		known.run = s
	}
	known.put++
	n[key] = known
}

// seriesOf returns the key of the series of a run: cluster, user, application and shape.
func seriesOf(s summary.Summary) string {
	return s.Key.Cluster + "\x00" + history.User(s) + "\x00" + history.Application(s) + "\x00" + history.Shape(s)
}

// analyseEvery is the number of imported old runs after which their series is analysed. The hooks analyse a
// series after each run, which takes .13 s on a large site and would take 37 hours for a million old runs. An
// analysis covers the last 200 runs; earlier changes are not found.
const analyseEvery = 20

// AddOldRun records an old run that was stored; old runs come in the order in which they ended. It analyses the
// run's series after every analyseEvery runs of it.
func (n SeriesToAnalyse) AddOldRun(ctx context.Context, db *history.DB, s summary.Summary) error {
	n.Add(s)
	if n[seriesOf(s)].put < analyseEvery {
		return nil
	}
	return n.analyseSeries(ctx, db, s, 0)
}

// AnalyseAll analyses each pending series, stores the result and removes the series from n; it stops if the
// history becomes unavailable. Findings get the time at, in UTC epoch seconds; 0, for old runs, means the end
// of the series' newest run.
func (n SeriesToAnalyse) AnalyseAll(ctx context.Context, db *history.DB, at float64) (failed error) {
	for _, known := range n {
		err := n.analyseSeries(ctx, db, known.run, at)
		failed = errors.Join(failed, err)
		if history.Unavailable(err) {
			break // it would fail for each of them
		}
	}
	return failed
}

// analyseSeries assesses the newest run of the series of s, stores the result, and removes the series from the
// pending ones.
func (n SeriesToAnalyse) analyseSeries(ctx context.Context, db *history.DB, s summary.Summary, at float64) error {
	key := seriesOf(s)
	run := n[key].run
	delete(n, key)
	if at == 0 {
		at = run.End
	}
	l, err := AssessRun(ctx, db, run, DefaultLimits())
	if err != nil {
		return err
	}
	return l.Store(ctx, db, run, at)
}
