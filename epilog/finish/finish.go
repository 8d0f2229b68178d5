package finish

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/epilog/collect"
	"jobgait/reports"
	"jobgait/reports/past"
)

// Finisher finishes runs on one node.
type Finisher struct {
	Config configs.Config
	// Spool is the node's own part of the spool: <spool>/<node>.
	Spool string
	// Program is the epilog program, started again as a child with the
	// rights of other accounts.
	Program string
	// Scheduler is asked what the hooks were not told.
	Scheduler job.Scheduler
	// Log takes what somebody should look at, Info (which may be nil) a line for
	// each report.
	Log, Info func(format string, args ...any)
	// End is how the run ended where its spool did not take that.
	End *End
	// unread counts records that could not be used; nil counts nothing.
	unread *int
}

// Finish takes one ended run as far as it can go. The caller holds the lock of
// the run directory. An error leaves the directory for a later sweep.
func (f Finisher) Finish(ctx context.Context, dir job.RunDir) error {
	run, err := dir.ReadRun()
	if err != nil {
		return err
	}
	end, err := ReadEnd(dir)
	if err != nil && f.End != nil {
		end, err = *f.End, nil
	}
	if err != nil {
		return err
	}
	run.Job = run.Job.With(end.Job)
	nodes, err := end.Nodes(run)
	if err != nil {
		return err
	}

	record, err := f.nodeRecord(dir, run, end)
	if err != nil {
		return err
	}
	store, lost := f.put(ctx, record)
	if run.Node != nodes[0] {
		if lost != nil {
			return lost
		}
		return f.done(ctx, dir, f.Config.Spool.Keep == "all")
	}

	before := lastReport(dir)
	want := collect.Want{Key: run.Key, AnyRun: !record.Sampled(), End: end.Real, Nodes: nodes, Patience: f.patience(before)}
	if before.Complete {
		if lost != nil {
			return lost
		}
		want.Key = before.Key
		return f.close(ctx, dir, store, want)
	}
	records, err := others(ctx, store, want)
	lost = cmp.Or(lost, err)
	records = ours(records, record)
	sum := identified(summary.Merge(records, nodes), record.Job)
	want.Key = sum.Key
	if before.Nodes >= sum.Reported() {
		if lost != nil {
			return lost
		}
		return f.settle(ctx, dir, store, want, sum)
	}
	sum = f.ask(ctx, run, sum)
	if lost != nil {
		f.Log("job %d: %v", sum.Key.JobID, lost)
		sum.Notes = append(sum.Notes, note.New(note.CollectFailed, "records of nodes could not be brought together: %v", reason(lost)))
	}
	if err := f.tell(ctx, store, dir, run, sum); err != nil {
		return err
	}
	f.archiveNode(ctx, dir) // first: a run without a node's profile is not made anew
	f.archiveRun(ctx, sum, records)
	if lost != nil { // a later sweep brings the others, and does not deliver this again
		return errors.Join(lost, f.remark(ctx, dir, reported{Key: sum.Key, Nodes: sum.Reported(), Complete: sum.Complete()}))
	}
	return f.settle(ctx, dir, store, want, sum)
}

// put puts the node's record into the collection directory, and leaves most of the
// time to the report: a file system that hangs must not cost more than other nodes.
func (f Finisher) put(ctx context.Context, r summary.NodeRecord) (collect.Store, error) {
	ctx, cancel := share(ctx, 4, time.Hour)
	defer cancel()
	store, err := f.store(ctx)
	if err != nil {
		return store, err
	}
	return store, store.Put(ctx, r)
}

// others waits for the records of the nodes after the first, which is this one, and
// leaves a part of the time. Its own record need not come back: the directory may not
// have taken it.
func others(ctx context.Context, store collect.Store, w collect.Want) ([]summary.NodeRecord, error) {
	if w.Nodes = w.Nodes[1:]; len(w.Nodes) == 0 {
		return nil, nil
	}
	if end, ok := ctx.Deadline(); ok {
		left := time.Until(end)
		w.Patience = min(w.Patience, left*2/3)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, left*5/6)
		defer cancel()
	}
	return store.Gather(ctx, w)
}

// ours puts this node's own record in the place of the one that came back from the
// collection directory.
func ours(records []summary.NodeRecord, own summary.NodeRecord) []summary.NodeRecord {
	i := slices.IndexFunc(records, func(r summary.NodeRecord) bool { return r.Node == own.Node })
	if i < 0 {
		return append([]summary.NodeRecord{own}, records...)
	}
	records[i] = own
	return records
}

// tell remembers the run, delivers its report and notes where that went. A
// history that fails costs the comparison and not the report; the run is then
// finished again by later sweeps, which deliver it again only when the history is
// there: one that is broken for a week must not have every node of a site write all
// its reports anew every ten minutes. at is the run's directory, "" if it has none.
func (f Finisher) tell(ctx context.Context, store collect.Store, at job.RunDir, run job.Run, s summary.Summary) error {
	if f.Config.History.Ingest != "here" {
		return f.hand(ctx, store, at, run, s)
	}
	s, judged, failed := f.remember(ctx, s)
	if n := lastReport(at).Without; failed != nil && n > 0 && n >= s.Reported() {
		return failed
	}
	if failed != nil {
		s.Notes = append(s.Notes, note.New(note.HistoryFailed, "earlier runs could not be read: %v", reason(failed)))
	}
	dir, err := f.report(ctx, run, s, judged)
	if err != nil {
		return errors.Join(failed, err)
	}
	if errors.Is(failed, history.ErrUnfit) { // another try would end as this one
		f.Log("%v", failed)
		return nil
	}
	if failed != nil && at != "" {
		return errors.Join(failed, f.remark(ctx, at, reported{Without: s.Reported()}))
	}
	if failed != nil {
		return failed
	}
	return f.delivered(ctx, s, dir)
}

// hand delivers the report of a run and hands the run on to the one writer of the
// history. Where that fails later sweeps hand it on, and do not deliver it again.
func (f Finisher) hand(ctx context.Context, store collect.Store, at job.RunDir, run job.Run, s summary.Summary) error {
	before := lastReport(at)
	dir := before.Dir
	if before.Without < s.Reported() {
		known, judged := s, past.Judgement{}
		if f.reportable(s) {
			known, judged = f.consult(ctx, s)
		}
		var err error
		if dir, err = f.report(ctx, run, known, judged); err != nil {
			return err
		}
	}
	err := store.PutJob(ctx, collect.JobRecord{Summary: s, ReportDir: dir})
	if err != nil && at != "" {
		return errors.Join(err, f.remark(ctx, at, reported{Without: s.Reported(), Dir: dir}))
	}
	return err
}

// share gives a step that may hang a part of the time that is left, so that the
// steps after it have some.
func share(ctx context.Context, part int, most time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		most = min(most, time.Until(end)/time.Duration(part))
	}
	return context.WithTimeout(ctx, most)
}

// remember puts the run into the history and judges it by the others there. It
// leaves time for the report, whoever holds the history.
func (f Finisher) remember(ctx context.Context, s summary.Summary) (summary.Summary, past.Judgement, error) {
	ctx, cancel := share(ctx, 3, time.Hour)
	defer cancel()
	db, err := f.history(ctx)
	if err != nil {
		return s, past.Judgement{}, err
	}
	now := epoch(time.Now())
	var judged past.Judgement
	s, err = application.Put(ctx, db, s, history.Ingest{NowS: now, Names: summary.Detail(f.Config.History.Names)})
	if err == nil {
		judged, err = review(ctx, db, s, now)
	}
	return s, judged, errors.Join(err, db.Close())
}

// review judges a run that was put by the others, and stores what was found.
func review(ctx context.Context, db *history.DB, s summary.Summary, now float64) (past.Judgement, error) {
	l, err := application.LookAt(ctx, db, s, application.DefaultLimits())
	if err != nil {
		return past.Judgement{}, err
	}
	judged, err := past.Judge(l)
	return judged, errors.Join(err, l.Store(ctx, db, s, now))
}

// history opens the history to write it. Root does so only where nobody else can put
// a file of his making.
func (f Finisher) history(ctx context.Context) (*history.DB, error) {
	path := f.Config.History.Path
	if err := job.Ours(filepath.Dir(path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("history %s is written by another account (history.ingest = \"spool\"?): %w", path, err)
	}
	return history.Open(ctx, path)
}

// delivered notes where the report went.
func (f Finisher) delivered(ctx context.Context, s summary.Summary, dir string) error {
	db, err := f.history(ctx)
	if err != nil {
		return err
	}
	return errors.Join(db.Delivered(ctx, s, dir), db.Close())
}

// report delivers the report as the user, and returns the directory it went
// to: "" for a run that is not reported, which has its row in the history.
func (f Finisher) report(ctx context.Context, run job.Run, s summary.Summary, judged past.Judgement) (string, error) {
	if !f.reportable(s) {
		return "", nil
	}
	dir, err := f.deliver(ctx, run, s, judged)
	if err != nil {
		return "", fmt.Errorf("report of job %d: %w", s.Key.JobID, err)
	}
	f.told(s, dir)
	return dir, nil
}

// reportable is whether a run gets a report.
func (f Finisher) reportable(s summary.Summary) bool {
	return s.Sampled() && s.ElapsedS >= f.Config.Report.MinElapsedS
}

// options are those of every report that this program draws.
func (f Finisher) options() reports.Options {
	return reports.Options{Version: configs.Version, Now: epoch(time.Now()), Formats: f.Config.Report.Formats, Location: time.Local, Silent: f.Config.Findings.Silent}
}

// epoch is t in UTC epoch seconds.
func epoch(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }
