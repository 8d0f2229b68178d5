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

// adoptAfter is how long after the last record another node may report a run from its records. The run's own collecting
// node, if it is alive, has stopped waiting by then.
const adoptAfter = missingNodesWait + time.Hour

// adoptionCounts counts runs whose collecting node died: adopted are those that this sweep reported, unclaimed
// those that neither this node nor the accounting knows.
type adoptionCounts struct{ adopted, unclaimed int }

// adopt reports the runs whose collecting node died: the records of their other nodes wait in the collection
// directory. The owner of the run and the place of its report are never taken from a record, which any
// process of the directory's account can write: it is what root wrote on this node at Prolog time, else what
// the scheduler's accounting says of the run. A run that neither knows is only counted, and waits for a node
// that ran it. A run that was reported from as many nodes is not reported again. If two nodes adopt a run at the same
// time, both write the same report. An error of one run is returned with the others and does not stop them.
func (f Finisher) adopt(ctx context.Context) (did adoptionCounts, failed error) {
	store, err := f.collectStore(ctx)
	if err != nil {
		return did, err
	}
	sweeper, err := f.sweeper()
	if err != nil {
		return did, notAdopted(err)
	}
	records, err := store.Orphans(ctx, adoptAfter, sweeper)
	if err != nil {
		return did, notAdopted(err)
	}
	byRun := map[run.Key][]summary.NodeRecord{}
	for _, r := range records {
		byRun[r.Key] = append(byRun[r.Key], r)
	}
	for key, records := range byRun {
		known, err := f.findTrustedRun(ctx, records[0])
		if err == nil && known.run.Key != key {
			did.unclaimed++
			continue
		}
		if err == nil {
			err = f.adoptRun(ctx, store, known, records)
		}
		if err != nil {
			failed = errors.Join(failed,
				fmt.Errorf("report run %s, whose first node died: %w: a later sweep tries it again", key, err))
			continue
		}
		did.adopted++
	}
	return did, failed
}

// sweeper returns this node's name with its boot id, and the names of the ended runs in its spool and of the
// retired runs of several nodes.
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
	return w, eachRetiredOfManyNodes(f.Spool, func(r retiredRun) { w.Jobs = append(w.Jobs, collect.JobName(r.Run.Key)) })
}

// trustedRun is a run and its end, taken from this node's spool or the scheduler's accounting, never from a
// record of another node.
type trustedRun struct {
	run job.Run
	end RunEnd
}

// findTrustedRun returns the run that a record claims to belong to: from this node's spool, else from the
// scheduler's accounting. It returns the zero value if neither knows the run. It returns an error if the
// record's key is invalid or a source cannot be read.
func (f Finisher) findTrustedRun(ctx context.Context, r summary.NodeRecord) (trustedRun, error) {
	if err := r.Key.Valid(); err != nil {
		return trustedRun{}, err
	}
	w, err := f.runInSpool(r.Key)
	if err != nil || w.run.Key == r.Key {
		return w, err
	}
	return f.runInAccounting(ctx, r)
}

// runInSpool returns the ended run with this key from the run directories of this node's spool, else from its
// retired runs of several nodes. It returns the zero value if neither has the run.
func (f Finisher) runInSpool(key run.Key) (trustedRun, error) {
	dirs, err := job.DirsNamed(f.Spool, key.String())
	if err != nil {
		return trustedRun{}, err
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
		return trustedRun{run, end}, nil
	}
	var w trustedRun
	return w, eachRetiredOfJob(f.Spool, manyNodes, key.JobID, func(r retiredRun) bool {
		if r.Run.Key == key {
			w = trustedRun{r.Run, r.End}
		}
		return r.Run.Key != key
	})
}

// runInAccounting returns the run from the scheduler's accounting, the zero value if it is unknown. The run
// has the record's key and the accounting's user, nodes, directory and exit code. Job id, user and start time
// must all match, so that a forged record is accepted only with a correct guess.
func (f Finisher) runInAccounting(ctx context.Context, r summary.NodeRecord) (trustedRun, error) {
	e, err := f.Scheduler.FindEnding(ctx, r.Key.JobID, r.Job.UID, r.Start)
	if e == nil || err != nil {
		return trustedRun{}, err
	}
	own := run.Job{User: e.User, UID: e.UID, GID: e.GID, NodeList: e.NodeList, WorkDir: e.WorkDir}
	return trustedRun{run: job.Run{Key: r.Key, Job: own}, end: RunEnd{Job: own, Exit: e.Exit}}, nil
}

// adoptRun merges the records of an adopted run and takes the run through the remaining states. The end is
// unknown: only the node that died would have queried the scheduler.
func (f Finisher) adoptRun(ctx context.Context, store collect.Store, w trustedRun, records []summary.NodeRecord) error {
	nodes, err := w.end.Nodes(w.run)
	if err != nil {
		return err
	}
	sum := withTrustedIdentity(summary.Merge(records, nodes), w.run.Job)
	sum = withUnknownEnd(sum, "the scheduler was not queried: the node that queries it died")
	p := &progress{run: w.run, end: w.end, nodes: nodes, collects: true, store: store, records: records, sum: sum,
		ownHistory: f.Config.History.Ingest == "here"}
	request := collect.RecordRequest{Key: w.run.Key, AnyRun: !records[0].Sampled(), End: sum.End}
	if err := p.readLastReport(ctx, request, sum.Start); err != nil {
		return err
	}
	return f.advance(ctx, p)
}

// withTrustedIdentity sets the user, work directory, output file, array, heterogeneous job and account of a
// summary to those of own. Records of other nodes pass through a directory that another account can write, so
// they never decide who the user is or where a file goes.
func withTrustedIdentity(s summary.Summary, own run.Job) summary.Summary {
	s.Job.User, s.Job.UID, s.Job.GID = own.User, own.UID, own.GID
	s.Job.WorkDir, s.Job.StdOut = own.WorkDir, own.StdOut
	s.Job.ArrayJobID, s.Job.ArrayTaskID, s.Job.Account = own.ArrayJobID, own.ArrayTaskID, own.Account
	s.Job.HetJobID, s.Job.HetOffset = own.HetJobID, own.HetOffset
	return s
}

// notAdopted adds to an error what follows for the runs whose first node died.
func notAdopted(err error) error {
	return fmt.Errorf("report runs whose first node died: %w: the next sweep tries it again", err)
}
