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

// ingestBytes limits the memory of the history's writer.
const ingestBytes = 256 << 20

// runIngest writes waiting job records into the history, publishes snapshots, queries missing end states and
// writes the site's aggregates. The account of the collection directory, which owns records and history, runs
// it on the one host of the history. If such an account is configured, it refuses to run as root, which would
// trust the account's files and create files that the account cannot write.
func runIngest(ctx context.Context, getenv func(string) string, out io.Writer) error {
	self, cfg, err := loadSettings(getenv)
	if err != nil {
		return err
	}
	if account := cfg.Collect.Account; os.Geteuid() == 0 && account != "" {
		return fmt.Errorf("the history belongs to the account %s: run runuser -u %[1]s -- %s --ingest", account, self)
	}
	debug.SetMemoryLimit(ingestBytes / 2)
	db, err := history.Open(ctx, cfg.History.Path)
	if err != nil {
		return err
	}
	now := float64(time.Now().UnixNano()) / 1e9
	newest := application.SeriesToAnalyse{}
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
		err = errors.Join(err, newest.AnalyseAll(ctx, db, now), countAside(ctx, db, cfg.Collect.Dir, now))
	}
	fmt.Fprintf(out, "%s written to %s, %d set aside\n", quantity.Plural(taken, "job record"), cfg.History.Path, aside)
	made, failed := snapshots.Publish(ctx, db, cfg.History, time.Now())
	if made > 0 {
		fmt.Fprintf(out, "%s published in %s\n", quantity.Plural(made, "snapshot"), cfg.History.Snapshots)
	}
	err = errors.Join(err, failed)
	err = errors.Join(err, db.Close())
	print := func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }
	f := finish.Finisher{Config: cfg, Scheduler: scheduler.ForSettings(cfg, getenv), Log: print, Info: print}
	_, failed = f.QueryEndStates(ctx)
	return errors.Join(err, failed, f.WriteSite(ctx))
}

// countAside stores in the history how many records were set aside.
func countAside(ctx context.Context, db *history.DB, dir string, now float64) error {
	list, err := collect.ListSetAside(dir)
	_, failed := db.CountRejected(ctx, list, now)
	return errors.Join(err, failed)
}

// putRecords stores records in one transaction, or each in its own if the transaction fails. It returns the
// stored runs and one error for each record; a record without an error is committed.
func putRecords(ctx context.Context, db *history.DB, records []collect.JobRecord, at history.Ingest) ([]summary.Summary,
	[]error) {
	put, failed := make([]summary.Summary, len(records)), make([]error, len(records))
	err := db.InBatch(ctx, func(b *history.Batch) error {
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
