package finish

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
)

// schedulerQueryLimit limits a query to the scheduler: a controller that starts a thousand jobs at once answers
// late, and the worker can wait. What is missing then is queried once more when the job is over.
const schedulerQueryLimit = 10 * time.Second

// completeFromScheduler completes the summary with what only the scheduler knows: name, array, expanded
// output path, start time, and how the job ended. The node that collects queries it once per try. Without an
// answer the hook's exit code 0 is not taken for success: a cancelled job has the same. A run of `jobgait
// run` is returned unchanged.
func (f Finisher) completeFromScheduler(ctx context.Context, r job.Run, s summary.Summary) summary.Summary {
	if r.RootPID != 0 { // `jobgait run` saw the end of its command itself
		return s
	}
	d, err := f.queryScheduler(ctx, s.Key.JobID)
	if err == nil && d.UID != nil && *d.UID != r.Job.UID {
		err = job.ErrUnknown // a late sweep: the id is another job's by now
	}
	if err != nil || d == (job.Details{}) {
		return noteDeclared(f.withoutAnswer(s, err), r.Job)
	}
	if isLaterRun(d, r, s) {
		d.Submit, d.Eligible, d.Start, d.End, d.State, d.Exit = nil, nil, nil, nil, "", nil
		if s.Exit != nil { // no Epilog received a requeue
			s = withUnknownEnd(s, "the scheduler knows only a later run of the job")
		}
	}
	s = withClockSkew(s, d, r)
	s.Job = mergeDeclared(d.Complete(r, f.Scheduler), s.Job).WithFields(f.Scheduler.Fields(ctx))
	s.State = cmp.Or(d.State, s.State)
	if d.Exit != nil && *d.Exit != (run.Exit{}) { // 0:0 is also said of a requeued run
		s.Exit = run.WorseExit(s.Exit, d.Exit)
	}
	return s
}

// mergeDeclared adds to a known job the fields that only the job's own processes declare. It never takes array,
// heterogeneous job, partition, quality of service or account from the declared job.
func mergeDeclared(known, declared run.Job) run.Job {
	j := known.With(declared)
	j.ArrayJobID, j.ArrayTaskID = known.ArrayJobID, known.ArrayTaskID
	j.HetJobID, j.HetOffset = known.HetJobID, known.HetOffset
	j.Account, j.QOS, j.Partition = known.Account, known.QOS, known.Partition
	return j
}

// noteDeclared adds a note that names the fields known only from the job's own processes. It resets the account
// to the known one, because accounts are charged.
func noteDeclared(s summary.Summary, known run.Job) summary.Summary {
	s.Job.Account = known.Account
	var names []string
	for _, f := range []struct {
		name     string
		declared bool
	}{
		{"name", s.Job.Name != known.Name}, {"partition", s.Job.Partition != known.Partition},
		{"QOS", s.Job.QOS != known.QOS},
		{"array", s.Job.ArrayJobID != nil && known.ArrayJobID == nil},
		{"number of tasks", s.Job.NTasks != nil && known.NTasks == nil},
	} {
		if f.declared {
			names = append(names, f.name)
		}
	}
	if len(names) > 0 {
		s.Notes = append(s.Notes, note.New(note.DeclaredByJob,
			"only the job's own processes state its %s: the scheduler does not confirm it",
			strings.Join(names, ", ")))
	}
	return s
}

// withoutAnswer returns the summary with an unknown end and a note that says why the scheduler gave no answer.
func (f Finisher) withoutAnswer(s summary.Summary, err error) summary.Summary {
	why := "the scheduler did not answer"
	switch {
	case errors.Is(err, job.ErrNotQueried):
		return withUnknownEnd(s, err.Error())
	case errors.Is(err, job.ErrUnknown):
		why = "the scheduler has forgotten the job"
	}
	if err != nil {
		f.Log("job %d: the report lacks what only the scheduler knows: %v", s.Key.JobID, err)
	}
	return withUnknownEnd(s, why)
}

// withUnknownEnd removes an exit code of 0, which does not prove success without the scheduler, and adds a note
// with the reason.
func withUnknownEnd(s summary.Summary, why string) summary.Summary {
	if s.Exit != nil && *s.Exit == (run.Exit{}) {
		s.Exit = nil
	}
	s.Notes = append(s.Notes, note.New(note.NoScheduler, "%s", why))
	return s
}

// queryScheduler queries the scheduler for the details of a job, for at most schedulerQueryLimit.
func (f Finisher) queryScheduler(ctx context.Context, id run.JobID) (job.Details, error) {
	ctx, cancel := context.WithTimeout(ctx, schedulerQueryLimit)
	defer cancel()
	return f.Scheduler.QueryJob(ctx, id)
}
