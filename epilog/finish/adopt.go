package finish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"jobgait/agent/job"
	"jobgait/analysis/summary"
	"jobgait/epilog/collect"
)

// adoptAfter is when the records of a run are anybody's: long after its own
// collector has given up waiting, if it lives.
const adoptAfter = giveUp + time.Hour

// adopt reports the runs whose collecting node died: their other nodes' records
// wait in the collection directory and nobody comes for them. Two nodes that do
// it at once do the same thing twice.
func (f Finisher) adopt(ctx context.Context) (adopted int, failed error) {
	store, err := f.store(ctx)
	if err != nil {
		return 0, err
	}
	records, err := store.Orphans(ctx, adoptAfter)
	if err != nil {
		return 0, err
	}
	byRun := map[summary.RunKey][]summary.NodeRecord{}
	for _, r := range records {
		byRun[r.Key] = append(byRun[r.Key], r)
	}
	for key, records := range byRun {
		if err := f.adoptRun(ctx, store, key, records); err != nil {
			failed = errors.Join(failed, fmt.Errorf("adopt run %s: %w", key, err))
			continue
		}
		adopted++
	}
	return adopted, failed
}

func (f Finisher) adoptRun(ctx context.Context, store collect.Store, key summary.RunKey, records []summary.NodeRecord) error {
	nodes, err := End{Job: records[0].Job}.Nodes(job.Run{Node: records[0].Node})
	if err != nil {
		return err
	}
	sum := summary.Merge(records, nodes, summary.Default())
	if err := f.tell(ctx, store, "", job.Run{Key: key, Job: sum.Job}, sum); err != nil {
		return err
	}
	return store.Forget(ctx, collect.Want{Key: key})
}
