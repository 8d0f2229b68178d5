package application

import (
	"context"
	"encoding/json"
	"fmt"

	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/pattern"
	"jobgait/analysis/summary"
)

// runStore is a history database or a batch of writes to one.
type runStore interface {
	Put(context.Context, summary.Summary, history.Ingest) error
	Reference(context.Context, summary.Summary) ([]byte, error)
	SetReference(context.Context, summary.Summary, []byte) error
}

// Put sets the run's step_s, writes the run to the history, and returns it as written. If the application has
// no reference pattern yet, it stores the run's main pattern as the reference.
func Put(ctx context.Context, db runStore, run summary.Summary, at history.Ingest) (summary.Summary, error) {
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

// WithStep returns the run with its step_s set and stores nothing.
func WithStep(ctx context.Context, db *history.DB, run summary.Summary) (summary.Summary, error) {
	s, _, err := withStep(ctx, db, run)
	return s, err
}

// A run's main pattern becomes the reference of its application from this
// confidence and coverage on: what every later step_s is the time of shall not
// be a pattern that was found by chance, or in start-up.
const (
	referenceConfidence = 0.5
	referenceCoverage   = 0.5
)

// reference is the reference pattern that the history keeps for an application: the pattern whose period is
// step_s in all its runs.
type reference struct {
	// Shape is the shape of the run in which the pattern was found.
	Shape   string            `json:"shape"`
	Pattern pattern.Reference `json:"pattern"`
	// End is when the run of it ended, UTC epoch seconds; 0 in older histories.
	End float64 `json:"end_s,omitempty"`
}

// withStep returns the run with step_s set to the time of one cycle by those of its own patterns that match
// the application's reference pattern; unset if none matches. If none is stored, the run's main pattern
// becomes the reference and is returned encoded, to be stored after the run. A run that ended before the
// reference run gets no step_s, even when it is stored again.
func withStep(ctx context.Context, db runStore, s summary.Summary) (summary.Summary, []byte, error) {
	body, err := db.Reference(ctx, s)
	if err != nil {
		return s, nil, err
	}
	if body == nil {
		return initialReference(s)
	}
	var r reference
	if err := json.Unmarshal(body, &r); err != nil {
		return s, nil, fmt.Errorf("the history's reference pattern of application %s is damaged: %w: "+
			"restore a copy of the history", history.Application(s), err)
	}
	if s.End < r.End {
		return s, nil, nil
	}
	find := r.Pattern.StepAcross
	if r.Shape == history.Shape(s) {
		find = r.Pattern.Step
	}
	step, ok, notes := find(s.Patterns)
	if ok {
		s.StepS = &step.StepS
	}
	if s.Sampled() {
		s.Notes = append(append([]note.Note{}, s.Notes...), notes...)
	}
	return s, nil, nil
}

// initialReference makes the run's main pattern the reference of its application, if the pattern is confident
// enough and the run ended normally: the main pattern of a failed run may be its start-up. It returns the run
// with step_s set, and the encoded reference, nil if none.
func initialReference(s summary.Summary) (summary.Summary, []byte, error) {
	if !history.EndedNormally(s.Exit, s.State) || len(s.Patterns) == 0 || s.Patterns[0].Confidence < referenceConfidence ||
		s.Patterns[0].Coverage < referenceCoverage {
		return s, nil, nil
	}
	main := s.Patterns[0]
	s.StepS = &main.PeriodS
	body, err := json.Marshal(reference{history.Shape(s), pattern.NewReference(main), s.End})
	if err != nil {
		return s, nil, fmt.Errorf("internal error, please report it: encode the reference pattern of application %s: %w",
			history.Application(s), err)
	}
	return s, body, nil
}
