package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/history"
	"jobgait/epilog/collect"
)

// sweep finishes what was left over on this node.
func sweep(ctx context.Context, getenv func(string) string, out, complain io.Writer) error {
	self, cfg, err := settings(getenv)
	if err != nil {
		return err
	}
	node := job.NodeName(getenv, job.ThisHost().Name)
	log, _ := job.OpenLog(cfg.Spool.Dir, node, "sweep", 0) // drops lines when it cannot open
	defer func() { _ = log.Close() }()
	did, err := finisher(cfg, getenv, self, node, log).Sweep(ctx, true)
	fmt.Fprintf(out, "node %s: %d runs finished, %d waiting, %d removed for room\n", node, did.Finished, did.Waiting, did.Removed)
	return err
}

// ingest writes waiting job records into the history. It is run by the account
// that owns the collection directory, on the one host that has the history.
func ingest(ctx context.Context, getenv func(string) string, out io.Writer) error {
	_, cfg, err := settings(getenv)
	if err != nil {
		return err
	}
	db, err := history.Open(ctx, cfg.History.Path)
	if err != nil {
		return err
	}
	taken, err := collect.Jobs(cfg.Collect.Dir, func(j collect.JobRecord) error {
		return db.Put(ctx, j.Summary, history.Ingest{ReportDir: j.ReportDir, NowS: float64(time.Now().UnixNano()) / 1e9})
	})
	fmt.Fprintf(out, "%d job records written to %s\n", taken, cfg.History.Path)
	return errors.Join(err, db.Close())
}
