package finish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/epilog/collect"
	"jobgait/reports/earlier"
	jobreport "jobgait/reports/job"
)

// Finisher takes ended runs of one node to their report: analysis, collection, delivery, archive.
type Finisher struct {
	Config configs.Config
	// Spool is the node's own part of the spool: <spool>/<node>.
	Spool string
	// Program is the epilog program, started again as a child with the
	// rights of other accounts.
	Program string
	// Scheduler is queried for what the hooks' environment lacks.
	Scheduler job.Scheduler
	// Log logs problems that an administrator should look at; Info, which may be nil, logs other events: each
	// report, and comments of other tools that were left unchanged.
	Log, Info func(format string, args ...any)
	// Began is when the process began that the Epilog waits for, in seconds of CLOCK_MONOTONIC; 0 for a sweep.
	Began float64
	// End is the run's end if it could not be written to the spool, else nil.
	End *RunEnd
	// HistoryPatience is how long to wait for each lock on the history; 0 waits as long as package history does.
	HistoryPatience time.Duration
	// unread counts records that could not be used; nil counts nothing.
	unread *atomic.Int64
	// onCrashPoint is called at each point between two states, for tests that kill the process there; nil
	// otherwise.
	onCrashPoint func(State, crashPoint)
}

// Finish takes one ended run as far as it can go (state.go has the states). The caller holds the lock of the run
// directory. An error leaves the directory for a later sweep.
func (f Finisher) Finish(ctx context.Context, dir job.RunDir) error {
	p, err := f.begin(dir)
	if err != nil {
		return err
	}
	return f.advance(ctx, &p)
}

// begin reads the run, its end and its nodes from the run directory, or the end from f.End if the directory
// has none, and what earlier tries have delivered and stored.
func (f Finisher) begin(dir job.RunDir) (progress, error) {
	run, err := dir.ReadRun()
	if err != nil {
		return progress{}, err
	}
	end, err := ReadEnd(dir)
	if err != nil && f.End != nil {
		end, err = *f.End, nil
	}
	if err != nil {
		return progress{}, err
	}
	run.Job = run.Job.With(end.Job)
	nodes, err := end.Nodes(run)
	if err != nil {
		return progress{}, err
	}
	return progress{dir: dir, run: run, end: end, nodes: nodes, collects: run.IsFirst(nodes),
		proved: readDeliveryRecord(dir), ownHistory: f.Config.History.Ingest == "here"}, nil
}

// analyseNode makes this node's record, or reads the one that an earlier try has stored.
func (f Finisher) analyseNode(_ context.Context, p *progress) (err error) {
	p.record, err = f.nodeRecord(p.dir, p.run, p.end)
	return err
}

// collectRecord writes the node's record into the collection directory, within a quarter of the remaining time,
// so that a file system that hangs costs the records of other nodes but not the report. It always returns nil:
// a failure blocks the run from Forgotten on, and from Merged on if another node can have reported the run.
func (f Finisher) collectRecord(ctx context.Context, p *progress) (err error) {
	ctx, cancel := withShareOfTime(ctx, 4, time.Hour)
	defer cancel()
	p.store, err = f.collectStore(ctx)
	if err == nil {
		err = p.store.Put(ctx, p.record)
	}
	switch {
	case err == nil:
	case len(p.nodes) > 1 && p.isLate(): // that report may be of more nodes
		p.blockFrom(Merged, err)
	default: // the report needs no other node
		p.blockFrom(Forgotten, err)
	}
	return nil
}

// mergeRecords waits for the records of the other nodes and merges them with this node's own into p.sum. If
// more nodes have reported than the last report has, it completes p.sum from the scheduler and, if the run is
// blocked, adds a note. If the records cannot be gathered, it blocks the run from Forgotten on (see blockFrom), so
// that this try does not remove the nodes' records. It returns an error only if another node can have reported the
// run and it is not known whether it has.
func (f Finisher) mergeRecords(ctx context.Context, p *progress) error {
	want := collect.RecordRequest{Key: p.run.Key, AnyRun: !p.record.Sampled(), End: p.end.Real, Nodes: p.nodes,
		Patience: f.patience(p.proved)}
	records, err := gatherOthers(ctx, p.store, want)
	if err != nil {
		p.blockFrom(Forgotten, err)
	}
	p.records = withOwn(records, p.record)
	p.sum = withTrustedIdentity(summary.Merge(p.records, p.nodes), p.record.Job)
	if p.isLate() {
		err := p.readLastReport(ctx, want, p.run.StartReal)
		if err != nil && len(p.nodes) > 1 {
			return err
		}
	}
	if !p.hasUnreportedNodes() {
		return nil
	}
	p.sum = f.completeFromScheduler(ctx, p.run, p.sum)
	if p.blocked != nil {
		f.Log("job %d: collect the records of the nodes: %v: the report may lack nodes, a later sweep tries it again",
			p.sum.Key.JobID, p.blocked)
		p.sum.Notes = append(p.sum.Notes,
			note.New(note.CollectFailed, "the records of the nodes could not be collected, so nodes may be missing: %v",
				systemError(p.blocked)))
	}
	return nil
}

// gatherOthers waits for the records of the nodes after the first, which is this one, and returns those that exist
// then. If ctx has a deadline, it waits for at most two thirds of the remaining time, and ends within five sixths of
// it. It does not read this node's own record, which the collection directory may lack.
func gatherOthers(ctx context.Context, store collect.Store, w collect.RecordRequest) ([]summary.NodeRecord, error) {
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

// withOwn replaces, in place, the copy of this node's record that came from the collection directory by own,
// or inserts own first if there is no copy.
func withOwn(records []summary.NodeRecord, own summary.NodeRecord) []summary.NodeRecord {
	i := slices.IndexFunc(records, func(r summary.NodeRecord) bool { return r.Node == own.Node })
	if i < 0 {
		return append([]summary.NodeRecord{own}, records...)
	}
	records[i] = own
	return records
}

// patience returns how long to wait for the records of other nodes: collect.wait_s, or 0 if the run was stored
// before with missing nodes.
func (f Finisher) patience(before deliveryRecord) time.Duration {
	if before.StoredNodes > 0 {
		return 0
	}
	return time.Duration(f.Config.Collect.WaitS) * time.Second
}

// deliverReport compares the run with earlier ones and delivers its report. If the history is unavailable, the
// report is delivered without a comparison. Later tries retry the history, but do not rewrite the report while
// it is still unavailable.
func (f Finisher) deliverReport(ctx context.Context, p *progress) (err error) {
	s, judged := p.sum, earlier.Judgement{}
	var failed error
	switch {
	case p.ownHistory:
		s, judged, failed = f.storeAndCompare(ctx, s)
	case f.isReportable(s):
		s, judged = f.compareWithHistory(ctx, s)
	}
	if failed != nil {
		if p.proved.DeliveredNodes > 0 && p.proved.DeliveredNodes >= s.Reported() {
			return failed
		}
		s.Notes = append(s.Notes, note.New(note.HistoryFailed, "earlier runs could not be read: %v", systemError(failed)))
	}
	if p.reportDir, err = f.deliverIfReportable(ctx, p.run, s, judged); err != nil {
		return errors.Join(failed, err)
	}
	p.compared = failed == nil
	switch {
	case errors.Is(failed, history.ErrUnfit): // another try would end the same way
		f.Log("%v", failed)
		p.unfit = true
	case failed != nil:
		p.historyFailure = failed.Error()
		p.blockFrom(Archived, failed)
	}
	return nil
}

// archiveFiles keeps in the site's archive what the report was made from: the node's files first, since a run
// without a node's profile is not analysed again. It always returns nil: errors are only logged.
func (f Finisher) archiveFiles(ctx context.Context, p *progress) error {
	if p.dir != "" {
		f.archiveNode(ctx, p.dir)
	}
	if p.hasUnreportedNodes() {
		p.sum.Quality.EpilogS = f.epilogTime(p.end)
		f.archiveRun(ctx, p.sum, p.records)
	}
	return nil
}

// epilogTime returns for how long the Epilog keeps the node, in seconds: until this process began, and then as long
// as this process works or the Epilog waits for it. nil: no Epilog waits.
func (f Finisher) epilogTime(e RunEnd) *float64 {
	now := job.ThisHost()
	if f.Began == 0 || e.Swept || e.BootID != now.BootID || f.Began < e.Mono {
		return nil
	}
	s := f.Began - e.Mono + min(now.Mono-f.Began, f.Config.Epilog.WaitS)
	return &s
}

// storeRun stores the run and the directory of its report: in the history if this node writes it, else as a job
// record for the history's one writer. It stores nothing if the history refused the run as unfit.
func (f Finisher) storeRun(ctx context.Context, p *progress) error {
	dir := p.reportDir
	if dir == "" {
		dir = p.proved.Dir
	}
	if p.sum.Quality.EpilogS == nil {
		p.sum.Quality.EpilogS = f.epilogTime(p.end)
	}
	switch {
	case p.unfit:
		return nil
	case !p.ownHistory:
		return p.store.PutJob(ctx, collect.JobRecord{Summary: p.sum, ReportDir: dir})
	}
	err := f.storeReportDir(ctx, p.sum, dir)
	if !errors.Is(err, history.ErrNotFound) {
		return err
	}
	// An earlier try put the run into a history that has been replaced since.
	if _, _, err := f.storeAndCompare(ctx, p.sum); err != nil {
		return err
	}
	return f.storeReportDir(ctx, p.sum, dir)
}

// forgetRecords writes to the collection directory from how many nodes the run was reported. If these are all, it
// removes the run's records; else they stay there, so that a late node's can be merged with them. A run of one node
// needs no such file unless another node adopted it.
func (f Finisher) forgetRecords(ctx context.Context, p *progress) (err error) {
	if p.store.Dir == "" {
		if p.store, err = f.collectStore(ctx); err != nil {
			return err
		}
	}
	w := collect.RecordRequest{Key: p.sum.Key, AnyRun: !p.record.Sampled(), End: p.end.Real, Nodes: p.nodes}
	switch {
	case p.dir == "":
		w = collect.RecordRequest{Key: p.run.Key}
	case p.proved.Complete:
		w.Key = p.proved.Key
	}
	if p.dir != "" && len(p.nodes) == 1 {
		return p.store.Forget(ctx, w, nil)
	}
	last := collect.LastReport{Key: w.Key, Nodes: max(p.reportedNodes(), p.sum.Reported()), Of: len(p.nodes),
		Start: p.run.StartReal, End: p.end.Real}
	if p.sum.Reported() > 0 {
		last.Start, last.End = p.sum.Start, p.sum.End
	}
	if !last.Complete() {
		return p.store.PutLastReport(ctx, last)
	}
	return p.store.Forget(ctx, w, &last)
}

// withShareOfTime returns a context that ends after 1/part of the time left in ctx, and no later than after the
// duration limit. It keeps time for the steps after one that may hang.
func withShareOfTime(ctx context.Context, part int, limit time.Duration) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		limit = min(limit, time.Until(end)/time.Duration(part))
	}
	return context.WithTimeout(ctx, limit)
}

// storeAndCompare stores the run in the history and compares it with the other runs there. It returns the run as
// stored, with its step time, and the comparison; with an error the run may be s. It uses a third of the time left, so
// that the report is made even if another process holds the history.
func (f Finisher) storeAndCompare(ctx context.Context, s summary.Summary) (summary.Summary, earlier.Judgement, error) {
	ctx, cancel := withShareOfTime(ctx, 3, time.Hour)
	defer cancel()
	o, err := withHistory(ctx, f, true, func(db *history.DB) (o storedRun, err error) {
		now := epoch(time.Now())
		o.run, err = application.Put(ctx, db, s, history.Ingest{NowS: now,
			Names: run.DisclosureLevel(f.Config.History.Names), Findings: jobreport.Findings})
		if err == nil {
			o.judged, err = compareStored(ctx, db, o.run, now)
		}
		return o, err
	})
	if o.run.Key == (run.Key{}) {
		o.run = s // it could not be opened
	}
	return o.run, o.judged, err
}

// storedRun is a run as it was stored in the history, and its comparison with the others there.
type storedRun struct {
	run    summary.Summary
	judged earlier.Judgement
}

// compareStored compares a stored run with the others in the history, and stores the result there.
func compareStored(ctx context.Context, db *history.DB, s summary.Summary, now float64) (earlier.Judgement, error) {
	l, err := application.AssessRun(ctx, db, s, application.DefaultLimits())
	if err != nil {
		return earlier.Judgement{}, err
	}
	judged, err := earlier.Judge(l)
	return judged, errors.Join(err, l.Store(ctx, db, s, now))
}

// openHistory opens the history for writing. It fails for root if another account can create files in the
// directory.
func (f Finisher) openHistory(ctx context.Context) (*history.DB, error) {
	path := f.Config.History.Path
	open := history.Open
	if f.HistoryPatience > 0 {
		open = func(ctx context.Context, path string) (*history.DB, error) {
			return history.OpenWithPatience(ctx, path, f.HistoryPatience)
		}
	}
	db, err := open(ctx, path)
	if errors.Is(err, history.ErrForeign) {
		err = fmt.Errorf("%w, or set history.ingest = \"spool\"", err)
	}
	return db, err
}

// storeReportDir stores the directory of a run's report in the history.
func (f Finisher) storeReportDir(ctx context.Context, s summary.Summary, dir string) error {
	ctx, cancel := withShareOfTime(ctx, 2, time.Hour)
	defer cancel()
	_, err := withHistory(ctx, f, true, func(db *history.DB) (struct{}, error) {
		return struct{}{}, db.Delivered(ctx, s, dir)
	})
	return err
}

// deliverIfReportable delivers the run's report with the user's rights and returns its directory, or "" for a run that
// gets no report.
func (f Finisher) deliverIfReportable(ctx context.Context, run job.Run, s summary.Summary, judged earlier.Judgement) (
	string,
	error) {
	if !f.isReportable(s) {
		return "", nil
	}
	dir, err := f.deliver(ctx, run, s, judged)
	if err != nil {
		return "", fmt.Errorf("deliver the report: %w", err)
	}
	f.countReport(s, dir)
	return dir, nil
}

// isReportable reports whether a run gets a report: it has samples and lasted at least report.min_elapsed_s.
func (f Finisher) isReportable(s summary.Summary) bool {
	return s.Sampled() && s.ElapsedS >= f.Config.Report.MinElapsedS
}

// options returns the options of all reports that this program renders.
func (f Finisher) options() jobreport.Options {
	return jobreport.Options{Version: configs.Version, Now: epoch(time.Now()), Formats: f.Config.Report.Formats,
		Location: time.Local, Silent: f.Config.Findings.Silent}
}

// epoch returns t in UTC epoch seconds.
func epoch(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }
