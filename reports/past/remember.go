package past

import (
	"context"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// Put gives a run its step_s and puts it into the history. It returns the run as
// it was put.
func Put(ctx context.Context, db *history.DB, run summary.Summary, at history.Ingest) (summary.Summary, error) {
	s, reference, err := withStep(ctx, db, run)
	if err != nil {
		return s, err
	}
	if err := db.Put(ctx, s, at); err != nil {
		return s, err
	}
	if reference == nil {
		return s, nil
	}
	return s, db.SetReference(ctx, s, reference)
}

// Review judges a run that was put by the others, and stores what was found, at
// UTC epoch seconds now.
func Review(ctx context.Context, db *history.DB, s summary.Summary, now float64) (Judgement, error) {
	j, err := Judge(ctx, db, s, DefaultLimits())
	if err != nil || j.SeriesID == 0 {
		return j, err
	}
	if err := db.PutEvents(ctx, j.SeriesID, j.Events, now); err != nil {
		return j, err
	}
	if len(j.Segments) == 0 {
		return j, nil
	}
	return j, db.PutScaling(ctx, s, j.Segments, now)
}

// Consult judges a run that is not in the history by the runs that are, and
// gives it its step_s. It stores nothing: it is for those who may only read.
func Consult(ctx context.Context, db *history.DB, run summary.Summary) (summary.Summary, Judgement, error) {
	s, _, err := withStep(ctx, db, run)
	if err != nil {
		return run, Judgement{}, err
	}
	j, err := Judge(ctx, db, s, DefaultLimits())
	if err != nil {
		return run, Judgement{}, err
	}
	return s, j, nil
}
