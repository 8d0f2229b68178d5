package finish

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/epilog/collect"
)

// adoptAfter is when the records of a run are anybody's: long after its own
// collector has given up waiting, if it lives.
const adoptAfter = giveUp + time.Hour

// orphans counts runs whose collecting node died: those reported now, and those that no node claims yet.
type orphans struct{ adopted, unclaimed int }

// adopt reports the runs whose collecting node died: the records of their other nodes wait in the collection
// directory. The owner of the run and the place of its report are never taken from a record, which any process
// of the directory's account can write: it is what root wrote on this node at Prolog time, else what the
// scheduler's accounting says of the run. Where neither knows it, it waits for a node that saw it, and is
// counted. Two nodes that adopt at once do the same thing twice.
func (f Finisher) adopt(ctx context.Context) (did orphans, failed error) {
	store, err := f.store(ctx)
	if err != nil {
		return did, err
	}
	sweeper, err := f.sweeper()
	if err != nil {
		return did, err
	}
	records, err := store.Orphans(ctx, adoptAfter, sweeper)
	if err != nil {
		return did, err
	}
	byRun := map[run.Key][]summary.NodeRecord{}
	for _, r := range records {
		byRun[r.Key] = append(byRun[r.Key], r)
	}
	for key, records := range byRun {
		known, err := f.known(ctx, records[0])
		if err == nil && known.run.Key != key {
			did.unclaimed++
			continue
		}
		if err == nil {
			err = f.adoptRun(ctx, store, known, records)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("adopt run %s: %w", key, err))
			continue
		}
		did.adopted++
	}
	return did, failed
}

// sweeper is this node, with the runs that it saw and that have ended.
func (f Finisher) sweeper() (collect.Sweeper, error) {
	w := collect.Sweeper{Name: filepath.Base(f.Spool) + " " + job.BootID()}
	dirs, err := job.Dirs(f.Spool)
	if err != nil {
		return w, err
	}
	for _, dir := range dirs {
		if run, err := dir.ReadRun(); err == nil && endKnown(dir) {
			w.Jobs = append(w.Jobs, collect.JobName(run.Key))
		}
	}
	return w, retiredOfMany(f.Spool, func(r retired) { w.Jobs = append(w.Jobs, collect.JobName(r.Run.Key)) })
}

// witnessed is a run as it is known without its records.
type witnessed struct {
	run job.Run
	end End
}

// known returns the run that a record claims to belong to, the zero value if neither this node nor the
// scheduler knows it.
func (f Finisher) known(ctx context.Context, r summary.NodeRecord) (witnessed, error) {
	if err := r.Key.Valid(); err != nil {
		return witnessed{}, err
	}
	w, err := f.seen(r.Key)
	if err != nil || w.run.Key == r.Key {
		return w, err
	}
	return f.accounted(ctx, r)
}

// seen returns the run of a key as this node's spool knows it.
func (f Finisher) seen(key run.Key) (witnessed, error) {
	dirs, err := job.DirsNamed(f.Spool, key.String())
	if err != nil {
		return witnessed{}, err
	}
	for _, dir := range dirs {
		run, err := dir.ReadRun()
		if err != nil || run.Key != key {
			continue
		}
		end, err := ReadEnd(dir)
		if err != nil {
			continue // it goes on here
		}
		run.Job = run.Job.With(end.Job)
		if details, err := dir.ReadDetails(); err == nil {
			run.Job = details.Complete(run, f.Scheduler)
		}
		return witnessed{run, end}, nil
	}
	var w witnessed
	return w, retiredOf(f.Spool, manyNodes, key.JobID, func(r retired) bool {
		if r.Run.Key == key {
			w = witnessed{r.Run, r.End}
		}
		return r.Run.Key != key
	})
}

// accounted returns the run as the scheduler's accounting knows it: by id, user and
// start, of which only a right guess helps who forged the record.
func (f Finisher) accounted(ctx context.Context, r summary.NodeRecord) (witnessed, error) {
	e, err := f.Scheduler.Account(ctx, r.Key.JobID, r.Job.UID, r.Start)
	if e == nil || err != nil {
		return witnessed{}, err
	}
	own := run.Job{User: e.User, UID: e.UID, GID: e.GID, NodeList: e.NodeList, WorkDir: e.WorkDir}
	return witnessed{run: job.Run{Key: r.Key, Job: own}, end: End{Job: own, Exit: e.Exit}}, nil
}

func (f Finisher) adoptRun(ctx context.Context, store collect.Store, w witnessed, records []summary.NodeRecord) error {
	nodes, err := w.end.Nodes(w.run)
	if err != nil {
		return err
	}
	sum := identified(summary.Merge(records, nodes), w.run.Job)
	sum = unknownEnd(sum, "the scheduler was not asked: the node that asks it died")
	return f.advance(ctx, &progress{run: w.run, end: w.end, nodes: nodes, collects: true, store: store, records: records,
		sum:        sum,
		ownHistory: f.Config.History.Ingest == "here"})
}

// identified gives a summary the identity that this node knows. What records of
// other nodes add passes through a directory that another account can write: it is
// content, and never says who the user is or where a file goes.
func identified(s summary.Summary, own run.Job) summary.Summary {
	s.Job.User, s.Job.UID, s.Job.GID = own.User, own.UID, own.GID
	s.Job.WorkDir, s.Job.StdOut = own.WorkDir, own.StdOut
	s.Job.ArrayJobID, s.Job.ArrayTaskID, s.Job.Account = own.ArrayJobID, own.ArrayTaskID, own.Account
	s.Job.HetJobID, s.Job.HetOffset = own.HetJobID, own.HetOffset
	return s
}
