package past

import (
	"context"

	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// Review judges a run that was put by the others, and stores what was found, at
// UTC epoch seconds now.
func Review(ctx context.Context, db *history.DB, s summary.Summary, now float64) (Judgement, error) {
	j, err := Judge(ctx, db, s, application.DefaultLimits())
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
	s, err := application.WithStep(ctx, db, run)
	if err != nil {
		return run, Judgement{}, err
	}
	j, err := Judge(ctx, db, s, application.DefaultLimits())
	if err != nil {
		return run, Judgement{}, err
	}
	return s, j, nil
}
