package finish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"jobgait/agent/as"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/reports/earlier"
)

// consultLimit bounds the judging of a run by a history that another host
// writes: its file system may hang, and the report is worth more than the
// comparison. A quarter of a second is usual; on a node whose next job has taken all CPUs
// the worker is the last to get one.
const consultLimit = 30 * time.Second

// consult judges a run by the history as it was last written, where this node
// may read it; else the report says in one line why it names no earlier runs.
// The run itself is put by the one writer, later. That is another account, which can
// write anything into the file: root has it read by a child with that account's rights.
func (f Finisher) consult(ctx context.Context, s summary.Summary) (summary.Summary, earlier.Judgement) {
	ctx, cancel := context.WithTimeout(ctx, consultLimit)
	defer cancel()
	ended := make(chan consulted, 1)
	go func() { ended <- f.askHistory(ctx, question{f.Config.History.Path, s}) }()
	var o consulted
	select {
	case o = <-ended:
	case <-ctx.Done(): // what hangs in the kernel is left there
		o.Why, o.Log = late, ctx.Err().Error()
	}
	switch o.Why {
	case none:
		s.StepS, s.Notes = o.StepS, o.Notes
		return s, o.Judged
	case absent: // that is how most nodes of a cluster are
		s.Notes = append(slices.Clone(s.Notes),
			note.New(note.HistoryElsewhere, "earlier runs were not looked at: this node does not have the history"))
	default:
		f.Log("job %d: %s", s.Key.JobID, o.Log)
		s.Notes = append(slices.Clone(s.Notes), note.New(note.HistoryFailed, "not compared with earlier runs: %s", o.Why))
	}
	return s, earlier.Judgement{}
}

// question is a request to a child: to compare a run with those in a history.
type question struct {
	Path string          `json:"path"`
	Run  summary.Summary `json:"run"`
}

// consulted is the answer: what the run gets of the history, and why it gets none.
type consulted struct {
	StepS  *float64          `json:"step_s"`
	Notes  []note.Note       `json:"notes"`
	Judged earlier.Judgement `json:"judged"`
	Why    unread            `json:"why"`
	Log    string            `json:"log"`
}

// unread says in a user's words why there was no history; Log has the rest.
type unread string

const (
	none   unread = ""
	absent unread = "this node does not have the history"
	late   unread = "the history did not answer in time"
)

func unreadFor(err error) unread {
	switch {
	case err == nil:
		return none
	case errors.Is(err, fs.ErrNotExist):
		return absent
	case errors.Is(err, history.ErrBeingWritten):
		return "the history was being written when this report was made"
	case errors.Is(err, fs.ErrPermission):
		return "this node may not read the history"
	case errors.Is(err, context.DeadlineExceeded):
		return late
	}
	return "the history could not be read"
}

// askHistory asks here, or as root in a child.
func (f Finisher) askHistory(ctx context.Context, q question) consulted {
	fail := func(err error) consulted { return consulted{Why: unreadFor(err), Log: err.Error()} }
	store, err := f.store(ctx)
	if err != nil {
		return fail(err)
	}
	account := store.Account
	if uid := q.Run.Job.UID; uid > 0 && f.Config.History.Snapshots != "" {
		q.Path = f.Config.History.SnapshotOf(uid)
		if account != nil {
			user := as.ForJob(ctx, uint32(uid), uint32(q.Run.Job.GID))
			account = &user
		}
	}
	if account == nil {
		return q.answer(ctx)
	}
	o, err := as.Ask[consulted](ctx, as.Child{Program: f.Program, Account: *account}, as.Consult, q)
	if err != nil {
		return fail(err)
	}
	o.Why, o.Log = unread(note.Clean(string(o.Why), 200)), note.Clean(o.Log, 1000)
	o.Judged = o.Judged.Untrusted()
	return o
}

// ServeConsult is the child that reads a history.
func ServeConsult(ctx context.Context, r as.Request) error {
	return as.Answer(func(ctx context.Context, q question) consulted { return q.answer(ctx) })(ctx, r)
}

// answer judges with the rights of this process.
func (q question) answer(ctx context.Context) consulted {
	run, judged := q.Run, earlier.Judgement{}
	err := atRest(ctx, restWait, func() (err error) {
		run, judged, err = consult(ctx, q.Path, q.Run)
		return err
	})
	o := consulted{StepS: run.StepS, Notes: run.Notes, Judged: judged, Why: unreadFor(err)}
	if err != nil {
		o.Log = err.Error()
	}
	return o
}

// The writer is at it for less than a second a time: who asks again gets an answer,
// and only a writer that was killed, or never ends, keeps the report from it.
const (
	restWait  = 5 * time.Second
	restRetry = 100 * time.Millisecond
)

// atRest repeats a read until no write happened meanwhile, for at most wait.
func atRest(ctx context.Context, wait time.Duration, read func() error) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		err := read()
		if !errors.Is(err, history.ErrBeingWritten) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(restRetry):
		}
	}
}

// consult is one reading of the history at path.
func consult(ctx context.Context, path string, s summary.Summary) (summary.Summary, earlier.Judgement, error) {
	unlocked, err := history.OpenUnlocked(ctx, path)
	if err != nil {
		return s, earlier.Judgement{}, err
	}
	run, judged, err := earlier.Consult(ctx, unlocked.DB, s)
	if err := unlocked.Close(err); err != nil {
		return s, earlier.Judgement{}, err
	}
	if c := &judged.Across.Changes; c.Remark != "" {
		c.Remark += fmt.Sprintf("; as the history was written %s", unlocked.Written().Local().Format("2006-01-02 15:04"))
	}
	return run, judged, nil
}
