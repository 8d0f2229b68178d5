package past

import (
	"context"
	"errors"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// Newest are the newest runs of series that were put, so that each is judged once.
type Newest map[string]summary.Summary

// Add takes a run that was put.
func (n Newest) Add(s summary.Summary) {
	key := s.Key.Cluster + "\x00" + history.User(s) + "\x00" + history.Application(s) + "\x00" + history.Shape(s)
	if known, ok := n[key]; !ok || s.Start > known.Start {
		n[key] = s
	}
}

// Review reviews each of them, at UTC epoch seconds now, until the history fails.
func (n Newest) Review(ctx context.Context, db *history.DB, now float64) (failed error) {
	for _, s := range n {
		_, err := Review(ctx, db, s, now)
		failed = errors.Join(failed, err)
		if history.Unavailable(err) {
			break // it would fail for each of them
		}
	}
	return failed
}
