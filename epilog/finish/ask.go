package finish

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// askLimit bounds a question to the scheduler: a controller that starts a thousand jobs
// at once answers late, and the worker has the time. What it did not say then is asked
// once more when the job is over.
const askLimit = 10 * time.Second

// completeFromScheduler completes the summary with what only the scheduler knows: name, array, expanded output path,
// start time, and how the job ended. The node that collects queries it once per try. Without an answer the hook's exit
// code 0 is not taken for success: a cancelled job has the same.
func (f Finisher) completeFromScheduler(ctx context.Context, r job.Run, s summary.Summary) summary.Summary {
	if r.RootPID != 0 { // `jobgait run` saw the end of its command itself
		return s
	}
	d, err := f.question(ctx, s.Key.JobID)
	if err == nil && d.UID != nil && *d.UID != r.Job.UID {
		err = job.ErrUnknown // a late sweep: the id is another job's by now
	}
	if err != nil || d == (job.Details{}) {
		return f.unanswered(s, err)
	}
	if ofLaterRun(d, r, s) {
		d.Start, d.State, d.Exit = nil, "", nil
		if s.Exit != nil { // no Epilog was told of a requeue
			s = unknownEnd(s, "the scheduler knows only a later run of the job")
		}
	}
	r.Job = s.Job
	s.Job = d.Complete(r, f.Scheduler).WithFields(f.Scheduler.Fields(ctx))
	s.State = cmp.Or(d.State, s.State)
	if d.Exit != nil && *d.Exit != (run.Exit{}) { // 0:0 is also said of a requeued run
		s.Exit = run.WorseExit(s.Exit, d.Exit)
	}
	return s
}

// ofLaterRun tells whether the scheduler speaks of a later run of the job: a requeue has
// given it a new start.
func ofLaterRun(d job.Details, r job.Run, s summary.Summary) bool {
	return slices.ContainsFunc(s.Notes, func(n note.Note) bool { return n.Code == note.Requeued }) ||
		d.Start != nil && float64(*d.Start) > r.StartReal+laterS
}

// laterS is more than clocks differ: a run's Prolog comes after the scheduler's start.
const laterS = 60

// unanswered is a summary of which the scheduler said nothing.
func (f Finisher) unanswered(s summary.Summary, err error) summary.Summary {
	why := "the scheduler did not answer"
	switch {
	case errors.Is(err, job.ErrNotAsked):
		return unknownEnd(s, err.Error())
	case errors.Is(err, job.ErrUnknown):
		why = "the scheduler has forgotten the job"
	}
	if err != nil {
		f.Log("%v", err)
	}
	return unknownEnd(s, why)
}

// unknownEnd takes no exit code 0 for a success.
func unknownEnd(s summary.Summary, why string) summary.Summary {
	if s.Exit != nil && *s.Exit == (run.Exit{}) {
		s.Exit = nil
	}
	s.Notes = append(s.Notes, note.New(note.NoScheduler, "%s", why))
	return s
}

// question asks the scheduler of a job.
func (f Finisher) question(ctx context.Context, id run.JobID) (job.Details, error) {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	return f.Scheduler.Ask(ctx, id)
}
