package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"jobgait/agent/as"
	"jobgait/agent/job"
	"jobgait/agent/job/scheduler"
	"jobgait/analysis/application"
	"jobgait/analysis/history"
	"jobgait/analysis/note"
	"jobgait/analysis/summary"
	"jobgait/configs"
	"jobgait/epilog/collect"
	"jobgait/epilog/finish"
	"jobgait/epilog/snapshots"
)

// ingest writes waiting job records into the history. Both belong to the account of the
// collection directory, which runs it on the one host that has the history; where root
// does, a child does the work with that account's rights.
func ingest(ctx context.Context, getenv func(string) string, out io.Writer) error {
	self, cfg, err := settings(getenv)
	if err != nil {
		return err
	}
	if os.Geteuid() != 0 || cfg.Collect.Account == "" {
		return putWaiting(ctx, cfg, scheduler.Of(cfg, getenv), out)
	}
	account, err := as.Lookup(ctx, cfg.Collect.Account)
	if err != nil {
		return fmt.Errorf("collect.account: %w", err)
	}
	input, err := json.Marshal(errand{cfg, configs.Environment(getenv)})
	if err != nil {
		return err
	}
	var said bytes.Buffer
	err = account.RunTo(ctx, self, ingestVerb, input, maxSaid, &said)
	for line := range strings.Lines(said.String()) {
		fmt.Fprintln(out, note.Clean(line, 1000))
	}
	return err
}

// ingestVerb is the argument that makes this program that child, and maxSaid bounds
// what it says.
const (
	ingestVerb = "--ingest-as"
	maxSaid    = 1 << 20
)

// ingestBytes bounds the child's memory beside what Go reserves.
const ingestBytes = 256 << 20

// errand is what the child is told: it sees neither our environment nor, perhaps, the
// settings.
type errand struct {
	Config      configs.Config `json:"config"`
	Environment []string       `json:"environment"`
}

func (e errand) getenv(name string) string {
	for _, v := range e.Environment {
		if value, is := strings.CutPrefix(v, name+"="); is {
			return value
		}
	}
	return ""
}

// ingestChild is that child, with its arguments (package as).
func ingestChild(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	// It asks the scheduler by its programs, and a history has any size.
	if err := as.Take(args, as.Limits{Starts: true, FileBytes: unix.RLIM_INFINITY, MemoryBytes: ingestBytes}); err != nil {
		return err
	}
	var e errand
	if err := json.NewDecoder(in).Decode(&e); err != nil {
		return fmt.Errorf("ingest: read the errand: %w", err)
	}
	return putWaiting(ctx, e.Config, scheduler.Of(e.Config, e.getenv), out)
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
func putRecords(ctx context.Context, db *history.DB, records []collect.JobRecord, at history.Ingest) ([]summary.Summary, []error) {
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

// putWaiting is ingest with the rights of this process.
func putWaiting(ctx context.Context, cfg configs.Config, sched job.Scheduler, out io.Writer) error {
	debug.SetMemoryLimit(ingestBytes / 2)
	db, err := history.Open(ctx, cfg.History.Path)
	if err != nil {
		return err
	}
	now := float64(time.Now().UnixNano()) / 1e9
	newest := application.Newest{}
	taken, aside, err := collect.Jobs(cfg.Collect.Dir, func(records []collect.JobRecord) []error {
		put, failed := putRecords(ctx, db, records, history.Ingest{NowS: now, Names: summary.Detail(cfg.History.Names)})
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
	fmt.Fprintf(out, "%d job records written to %s, %d set aside\n", taken, cfg.History.Path, aside)
	made, failed := snapshots.Publish(ctx, db, cfg.History, time.Now())
	if made > 0 {
		fmt.Fprintf(out, "%d snapshots published in %s\n", made, cfg.History.Snapshots)
	}
	err = errors.Join(err, failed)
	err = errors.Join(err, db.Close())
	_, failed = finish.Finisher{Config: cfg, Scheduler: sched,
		Log: func(format string, args ...any) { fmt.Fprintf(out, format+"\n", args...) }}.LearnStates(ctx)
	return errors.Join(err, failed)
}
