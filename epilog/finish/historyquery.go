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

// compareLimit limits the comparison with a history that another host writes: its file system may hang, and the
// report matters more than the comparison. 0.25 s is usual; the limit allows for a node whose next job uses all
// CPUs.
const compareLimit = 30 * time.Second

// compareWithHistory compares a run with the history as last written, without storing the run; the history's
// one writer stores it later. If this node cannot read the history, a note says why. Another account can write
// anything into the file, so root lets a child with that account's rights read it.
func (f Finisher) compareWithHistory(ctx context.Context, s summary.Summary) (summary.Summary, earlier.Judgement) {
	ctx, cancel := context.WithTimeout(ctx, compareLimit)
	defer cancel()
	ended := make(chan historyAnswer, 1)
	go func() { ended <- f.queryHistory(ctx, historyQuery{f.Config.History.Path, s}) }()
	var o historyAnswer
	select {
	case o = <-ended:
	case <-ctx.Done(): // what hangs in the kernel is left there
		o.Why, o.Log = historyTimedOut, string(historyTimedOut)+": check for a file system that hangs"
	}
	switch o.Why {
	case historyRead:
		s.StepS, s.Notes = o.StepS, o.Notes
		return s, o.Judged
	case historyAbsent: // that is how most nodes of a cluster are
		s.Notes = append(slices.Clone(s.Notes),
			note.New(note.HistoryElsewhere, "earlier runs were not looked at: this node does not have the history"))
	default:
		f.Log("job %d: the run is not compared with earlier runs: %s", s.Key.JobID, o.Log)
		s.Notes = append(slices.Clone(s.Notes), note.New(note.HistoryFailed, "not compared with earlier runs: %s", o.Why))
	}
	return s, earlier.Judgement{}
}

// historyQuery is a request to a child process: compare a run with the runs in the history at Path.
type historyQuery struct {
	Path string          `json:"path"`
	Run  summary.Summary `json:"run"`
}

// historyAnswer is the child's answer: step time, notes and comparison; Why and Log give the reason if they are
// missing.
type historyAnswer struct {
	StepS  *float64          `json:"step_s"`
	Notes  []note.Note       `json:"notes"`
	Judged earlier.Judgement `json:"judged"`
	Why    noHistoryReason   `json:"why"`
	Log    string            `json:"log"`
}

// noHistoryReason says, in words for the user, why the history could not be read; "" if it was read.
// historyAnswer.Log has the full error.
type noHistoryReason string

const (
	historyRead     noHistoryReason = ""
	historyAbsent   noHistoryReason = "this node does not have the history"
	historyTimedOut noHistoryReason = "the history did not answer in time"
)

// noHistoryReasonFor returns the user's words for an error of reading the history, "" for no error.
func noHistoryReasonFor(err error) noHistoryReason {
	switch {
	case err == nil:
		return historyRead
	case errors.Is(err, fs.ErrNotExist):
		return historyAbsent
	case errors.Is(err, history.ErrBeingWritten):
		return "the history was being written when this report was made"
	case errors.Is(err, fs.ErrPermission):
		return "this node may not read the history"
	case errors.Is(err, context.DeadlineExceeded):
		return historyTimedOut
	}
	return "the history could not be read"
}

// queryHistory compares the run of q with the history. A user for whom snapshots are published is compared with that
// snapshot, with the user's rights. Otherwise root lets a child with the rights of the collection directory's account
// read the history. Without such an account, or if this process is not root, it compares in this process.
func (f Finisher) queryHistory(ctx context.Context, q historyQuery) historyAnswer {
	fail := func(err error) historyAnswer { return historyAnswer{Why: noHistoryReasonFor(err), Log: err.Error()} }
	store, err := f.collectStore(ctx)
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
		return q.compare(ctx)
	}
	o, err := as.Ask[historyAnswer](ctx,
		as.Child{Program: f.Program, Account: *account, Guard: f.limitStuckChildren("history")}, as.CompareHistory, q)
	if err != nil {
		return fail(err)
	}
	o.Why, o.Log = noHistoryReason(note.Clean(string(o.Why), 200)), note.Clean(o.Log, 1000)
	o.Judged = o.Judged.Untrusted()
	return o
}

// ServeHistoryQuery is the main function of the child that reads a history: it answers one historyQuery.
func ServeHistoryQuery(ctx context.Context, r as.Request) error {
	return as.AnswerOne(func(ctx context.Context, q historyQuery) historyAnswer { return q.compare(ctx) })(ctx, r)
}

// compare opens the history at q.Path with the rights of this process and compares the run with the stored runs.
// While the history is being written it retries, for up to writeWait. If it fails, the answer has the reason and no
// comparison.
func (q historyQuery) compare(ctx context.Context) historyAnswer {
	run, judged := q.Run, earlier.Judgement{}
	err := retryWhileWritten(ctx, writeWait, func() (err error) {
		run, judged, err = compareUnlocked(ctx, q.Path, q.Run)
		return err
	})
	o := historyAnswer{StepS: run.StepS, Notes: run.Notes, Judged: judged, Why: noHistoryReasonFor(err)}
	if err != nil {
		o.Log = err.Error()
	}
	return o
}

// One write of the history takes less than a second, so retrying succeeds once it has finished. Only a writer
// that was killed or never ends makes all retries fail.
const (
	writeWait  = 5 * time.Second
	writeRetry = 100 * time.Millisecond
)

// retryWhileWritten repeats a read that fails with history.ErrBeingWritten every writeRetry, for at most wait,
// and returns the last error.
func retryWhileWritten(ctx context.Context, wait time.Duration, read func() error) error {
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
		case <-time.After(writeRetry):
		}
	}
}

// compareUnlocked opens the history at path once, without a lock, and compares the run with it. It returns an
// error if the history was written meanwhile. The remark about changes, if there is one, names the time of
// the last write.
func compareUnlocked(ctx context.Context, path string, s summary.Summary) (summary.Summary, earlier.Judgement, error) {
	unlocked, err := history.OpenUnlocked(ctx, path)
	if err != nil {
		return s, earlier.Judgement{}, err
	}
	run, judged, err := earlier.CompareWithStored(ctx, unlocked.DB, s)
	if err := unlocked.Close(err); err != nil {
		return s, earlier.Judgement{}, err
	}
	if c := &judged.Across.Changes; c.Remark != "" {
		c.Remark += fmt.Sprintf("; as the history was written %s", unlocked.Written().Local().Format("2006-01-02 15:04"))
	}
	return run, judged, nil
}
