package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"

	"jobgait/agent/job/scheduler"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/epilog/collect"
	"jobgait/epilog/finish"
	"jobgait/epilog/snapshots"
	"jobgait/reports/job"
)

// ingestBytes bounds the writer's memory beside what Go reserves.
const ingestBytes = 256 << 20

// ingest writes waiting job records into the history. Both belong to the account of the
// collection directory, which runs it on the one host that has the history: root would
// believe what the account wrote, and leave it a history that it cannot write.
func ingest(ctx context.Context, getenv func(string) string, out io.Writer) error {
	self, cfg, err := settings(getenv)
	if err != nil {
		return err
	}
	if account := cfg.Collect.Account; os.Geteuid() == 0 && account != "" {
		return fmt.Errorf("the history is %s's, not root's: runuser -u %[1]s -- %s --ingest", account, self)
	}
	debug.SetMemoryLimit(ingestBytes / 2)
	db, err := history.Open(ctx, cfg.History.Path)
	if err != nil {
		return err
	}
	now := float64(time.Now().UnixNano()) / 1e9
	newest := application.Newest{}
	taken, aside, err := collect.Jobs(cfg.Collect.Dir, func(records []collect.JobRecord) []error {
		put, failed := putRecords(ctx, db, records, history.Ingest{NowS: now, Names: run.DisclosureLevel(cfg.History.Names),
			Findings: job.Findings})
		for i, s := range put {
			if failed[i] == nil {
				newest.Add(s)
			}
		}
		return failed
	})
	if !history.Unavailable(err) {
		err = errors.Join(err, newest.Review(ctx, db, now), countAside(ctx, db, cfg.Collect.Dir, now))
	}
	fmt.Fprintf(out, "%s written to %s, %d set aside\n", quantity.Plural(taken, "job record"), cfg.History.Path, aside)
	made, failed := snapshots.Publish(ctx, db, cfg.History, time.Now())
	if made > 0 {
		fmt.Fprintf(out, "%s published in %s\n", quantity.Plural(made, "snapshot"), cfg.History.Snapshots)
	}
	err = errors.Join(err, failed)
	err = errors.Join(err, db.Close())
	f := finish.Finisher{Config: cfg, Scheduler: scheduler.Of(cfg, getenv),
		Log: func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }}
	_, failed = f.LearnStates(ctx)
	return errors.Join(err, failed, f.WriteSite(ctx))
}

// countAside has the history count the records that lie out of the way.
func countAside(ctx context.Context, db *history.DB, dir string, now float64) error {
	list, err := collect.Aside(dir)
	_, failed := db.CountAside(ctx, list, now)
	return errors.Join(err, failed)
}

// putRecords puts records in one transaction, and returns the runs as they were put with
// what became of each: it is stored for good where there is no error. Where SQLite refuses
// one of them each is put alone.
func putRecords(ctx context.Context, db *history.DB, records []collect.JobRecord, at history.Ingest) ([]summary.Summary,
	[]error) {
	put, failed := make([]summary.Summary, len(records)), make([]error, len(records))
	err := db.Together(ctx, func(b *history.Batch) error {
		for i, j := range records {
			at.ReportDir = j.ReportDir
			put[i], failed[i] = application.Put(ctx, b, j.Summary, at)
		}
		return nil
	})
	for i, j := range records {
		if err != nil && !history.Unavailable(err) {
			at.ReportDir = j.ReportDir
			put[i], failed[i] = application.Put(ctx, db, j.Summary, at)
		} else if failed[i] == nil {
			failed[i] = err
		}
	}
	return put, failed
}
