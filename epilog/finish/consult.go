package finish

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/reports/past"
)

// consultLimit bounds the judging of a run by a history that another host
// writes: its file system may hang, and the report is worth more than the
// comparison. A quarter of a second is usual.
const consultLimit = 10 * time.Second

// consult judges a run by the history as it was last written, where this node
// may read it; else the report says in one line why it names no earlier runs.
// The run itself is put by the one writer, later.
func (f Finisher) consult(ctx context.Context, s summary.Summary) (summary.Summary, past.Judgement) {
	type outcome struct {
		run    summary.Summary
		judged past.Judgement
		err    error
	}
	ctx, cancel := context.WithTimeout(ctx, consultLimit)
	defer cancel()
	ended := make(chan outcome, 1)
	go func() {
		run, judged, err := consult(ctx, f.Config.History.Path, s)
		ended <- outcome{run, judged, err}
	}()
	var o outcome
	select {
	case o = <-ended:
	case <-ctx.Done(): // what hangs in the kernel is left there
		o.err = ctx.Err()
	}
	if o.err == nil {
		return o.run, o.judged
	}
	why := note.New(note.HistoryElsewhere, "earlier runs were not looked at: this node does not have the history")
	if !errors.Is(o.err, fs.ErrNotExist) { // that is how most nodes of a cluster are
		f.Log("job %d: %v", s.Key.JobID, o.err)
		why = note.New(note.HistoryFailed, "not compared with earlier runs: %s", unread(o.err))
	}
	s.Notes = append(append([]note.Note{}, s.Notes...), why)
	return s, past.Judgement{}
}

// consult is one reading of the history at path.
func consult(ctx context.Context, path string, s summary.Summary) (summary.Summary, past.Judgement, error) {
	still, err := history.OpenStill(ctx, path)
	if err != nil {
		return s, past.Judgement{}, err
	}
	run, judged, err := past.Consult(ctx, still.DB, s)
	if err := still.Close(err); err != nil {
		return s, past.Judgement{}, err
	}
	if c := &judged.Across.Changes; c.Remark != "" {
		c.Remark += fmt.Sprintf("; as the history was written %s", still.Written().Local().Format("2006-01-02 15:04"))
	}
	return run, judged, nil
}

// unread says in a user's words why there was no history; the log has the rest.
func unread(err error) string {
	switch {
	case errors.Is(err, history.ErrBeingWritten):
		return "the history was being written when this report was made"
	case errors.Is(err, fs.ErrPermission):
		return "this node may not read the history"
	case errors.Is(err, context.DeadlineExceeded):
		return "the history did not answer in time"
	}
	return "the history could not be read"
}
