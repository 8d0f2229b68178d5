// Package finish is the whole flow after a job has ended, as code. A run
// directory comes in: what the Prolog wrote (env.json), what the agent sampled
// (profile.jgp) and what the Epilog was told (epilog.json). Out go the node's
// record, and on the first node of the job the merged summary, the report in
// the user's directory and the row in the history.
//
// Everything here may be killed at any moment and done again: each step
// replaces what an earlier try left, and the run directory is marked done only
// when nothing is left to do. It refuses to guess: what a step cannot know
// becomes a note in the report.
package finish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/epilog/collect"
	"jobgait/reports"
)

// Finisher finishes runs on one node.
type Finisher struct {
	Config configs.Config
	// Spool is the node's own part of the spool: <spool>/<node>.
	Spool string
	// Program is the epilog program, started again as a child with the
	// rights of other accounts.
	Program string
	// SlurmConf is where scontrol finds its cluster; "" is its default.
	SlurmConf string
	Log       func(format string, args ...any)
}

// Finish takes one ended run as far as it can go. The caller holds the lock of
// the run directory. An error leaves the directory for a later sweep.
func (f Finisher) Finish(ctx context.Context, dir job.RunDir) error {
	run, err := dir.ReadRun()
	if err != nil {
		return err
	}
	end, err := ReadEnd(dir)
	if err != nil {
		return err
	}
	run.Job = run.Job.With(end.Job)
	nodes, err := end.Nodes(run)
	if err != nil {
		return err
	}

	store, err := f.store(ctx)
	if err != nil {
		return err
	}
	record, err := f.nodeRecord(dir, run, end)
	if err != nil {
		return err
	}
	if err := store.Put(ctx, record); err != nil {
		return err
	}
	if run.Node != nodes[0] {
		return f.done(dir, f.Config.Spool.Keep == "all")
	}

	before := lastReport(dir)
	want := collect.Want{Key: run.Key, AnyRun: !record.Sampled(), End: end.Real, Nodes: nodes, Patience: f.patience(before)}
	if before.Complete {
		want.Key = before.Key
		return f.close(ctx, dir, store, want)
	}
	records, err := store.Gather(ctx, want)
	if err != nil {
		return err
	}
	sum := summary.Merge(records, nodes, summary.Default())
	want.Key = sum.Key
	if before.Nodes >= sum.Reported() {
		return f.settle(ctx, dir, store, want, sum)
	}
	sum = f.ask(ctx, run, sum)
	past, notes := f.past(ctx, sum)
	sum.Notes = append(sum.Notes, notes...)
	reportDir, err := f.report(ctx, run, sum, past)
	if err != nil {
		return err
	}
	if err := f.remember(ctx, store, sum, reportDir); err != nil {
		return err
	}
	return f.settle(ctx, dir, store, want, sum)
}

// past reads the earlier runs of the same application and shape. A history
// that cannot be read costs the comparison and not the report.
func (f Finisher) past(ctx context.Context, s summary.Summary) ([]history.Run, []note.Note) {
	if f.Config.History.Ingest != "here" {
		return nil, nil
	}
	runs, err := f.readPast(ctx, s)
	if err != nil {
		f.Log("read the history: %v", err)
		return nil, []note.Note{note.New(note.HistoryFailed, "earlier runs could not be read")}
	}
	return runs, nil
}

func (f Finisher) readPast(ctx context.Context, s summary.Summary) ([]history.Run, error) {
	db, err := history.Open(ctx, f.Config.History.Path)
	if err != nil {
		return nil, err
	}
	runs, err := db.Runs(ctx, history.Past(s))
	return runs, errors.Join(err, db.Close())
}

// remember puts the run into the history, or leaves it for the host that does.
func (f Finisher) remember(ctx context.Context, store collect.Store, s summary.Summary, reportDir string) error {
	if f.Config.History.Ingest != "here" {
		return store.PutJob(ctx, collect.JobRecord{Summary: s, ReportDir: reportDir})
	}
	db, err := history.Open(ctx, f.Config.History.Path)
	if err != nil {
		return err
	}
	err = db.Put(ctx, s, history.Ingest{ReportDir: reportDir, NowS: epoch(time.Now())})
	return errors.Join(err, db.Close())
}

// report delivers the report as the user, and returns the directory it went
// to: "" for a run that is not reported, which has its row in the history.
func (f Finisher) report(ctx context.Context, run job.Run, s summary.Summary, past []history.Run) (string, error) {
	if !s.Sampled() || s.ElapsedS < f.Config.Report.MinElapsedS {
		return "", nil
	}
	dir, err := f.deliver(ctx, run, s, past)
	if err != nil {
		return "", fmt.Errorf("report of job %d: %w", s.Key.JobID, err)
	}
	return dir, nil
}

// options are those of every report that this program draws.
func (f Finisher) options() reports.Options {
	return reports.Options{Version: configs.Version, Now: epoch(time.Now()), Formats: f.Config.Report.Formats, Location: time.Local}
}

// epoch is t in UTC epoch seconds.
func epoch(t time.Time) float64 { return float64(t.UnixNano()) / 1e9 }
