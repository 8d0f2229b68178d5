package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"jobgait/analysis/history"
	"jobgait/analysis/summary"
)

// openedHistories are the histories that --history names, opened for reading: one history, or one of each of
// several clusters.
type openedHistories struct {
	dbs   []*history.DB
	paths []string
}

// historyPaths returns the files that --history names: FILE,FILE,... or one file. The flag is one file if a
// file of that name exists, even with a comma.
func historyPaths(flag string) []string {
	if _, err := os.Stat(flag); err == nil {
		return []string{flag}
	}
	return strings.Split(flag, ",")
}

// requireOneHistory returns a usage error if the flag names several histories, for verbs that write.
func requireOneHistory(flag, verb string) error {
	if n := len(historyPaths(flag)); n > 1 {
		return usageError{fmt.Errorf("--history names %d histories, but %s needs exactly one",
			n, verb)}
	}
	return nil
}

// openHistories opens the histories that flag names, "" for the one that openHistory finds.
func openHistories(ctx context.Context, getenv func(string) string, flag string) (openedHistories, error) {
	var j openedHistories
	for _, p := range historyPaths(flag) {
		if p == "" && flag != "" {
			return openedHistories{}, errors.Join(usageError{fmt.Errorf("invalid --history %s: a name is missing beside a comma",
				flag)},
				j.Close())
		}
		db, path, err := openHistory(ctx, getenv, p)
		if err != nil {
			return openedHistories{}, errors.Join(err, j.Close())
		}
		j.dbs, j.paths = append(j.dbs, db), append(j.paths, path)
	}
	if err := j.rejectSharedCluster(ctx); err != nil {
		return openedHistories{}, errors.Join(err, j.Close())
	}
	return j, nil
}

// rejectSharedCluster returns an error if two histories are of one cluster: runs in both would count twice.
func (j openedHistories) rejectSharedCluster(ctx context.Context) error {
	if len(j.dbs) == 1 {
		return nil
	}
	of := map[string]string{}
	for i, db := range j.dbs {
		clusters, err := db.Clusters(ctx)
		if err != nil {
			return err
		}
		for _, c := range clusters {
			if other, is := of[c]; is {
				return fmt.Errorf("%s and %s both have runs of cluster %s, which would count twice: want histories of different "+
					"clusters", other, j.paths[i], c)
			}
			of[c] = j.paths[i]
		}
	}
	return nil
}

// Close closes all histories.
func (j openedHistories) Close() error {
	var failed error
	for _, db := range j.dbs {
		failed = errors.Join(failed, db.Close())
	}
	return failed
}

// closeAfter closes the histories at the end of a verb whose error is *failed. If a history was read without locks and
// was written meanwhile, *failed becomes that error: what was read may be invalid.
func (j openedHistories) closeAfter(failed *error) {
	if err := j.Close(); errors.Is(err, history.ErrBeingWritten) {
		*failed = err
	}
}

// path returns the paths for messages.
func (j openedHistories) path() string { return strings.Join(j.paths, ", ") }

// foundRun is a run and the history that contains it.
type foundRun struct {
	history.Run
	db *history.DB
}

// runs returns the runs that a query selects from all histories, newest first, as history.DB.Runs does.
func (j openedHistories) runs(ctx context.Context, q history.Query) ([]foundRun, error) {
	var all []foundRun
	for _, db := range j.dbs {
		runs, err := db.Runs(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, r := range runs {
			all = append(all, foundRun{r, db})
		}
	}
	slices.SortStableFunc(all, func(a, b foundRun) int { return cmp.Compare(b.Start, a.Start) })
	limit := cmp.Or(max(q.Limit, 0), history.DefaultLimit)
	return all[:min(len(all), limit)], nil
}

// run returns the newest run of a job, with the history that contains it. It fails if two clusters have a job
// of that number.
func (j openedHistories) run(ctx context.Context, id string) (found summary.Summary, db *history.DB, err error) {
	at := ""
	for i := range j.dbs {
		s, _, err := j.dbs[i].Summary(ctx, id)
		switch {
		case errors.Is(err, history.ErrNotFound):
		case err != nil:
			return found, nil, err
		case db != nil:
			return found, nil, fmt.Errorf("job %s is in %s (cluster %s) and in %s (cluster %s): name one of them with --history",
				id, at, found.Key.Cluster, j.paths[i], s.Key.Cluster)
		default:
			found, db, at = s, j.dbs[i], j.paths[i]
		}
	}
	if db == nil {
		err = noRunError{id, j.path()}
	}
	return found, db, err
}

// seriesPerHistory is the difference between the printed series numbers of two histories: each history numbers
// its series from 1.
const seriesPerHistory = 1_000_000_000

// histories returns what a query selects from all histories, as history.DB.Histories does. Series of the second
// history are numbered from 1,000,000,001.
func (j openedHistories) histories(ctx context.Context, q history.HistoryQuery) ([]history.ApplicationRuns, error) {
	var all []history.ApplicationRuns
	if q.ChangedSince != 0 { // the newest changes of one cluster must not push out those of another
		q.Series /= len(j.dbs)
	}
	for i, db := range j.dbs {
		list, err := db.Histories(ctx, q)
		if err != nil {
			return nil, err
		}
		for _, h := range list {
			h.SeriesID += int64(i) * seriesPerHistory
			all = append(all, h)
		}
	}
	if len(j.dbs) == 1 {
		return all, nil
	}
	last := func(h history.ApplicationRuns) float64 {
		if len(h.Runs) == 0 {
			return 0
		}
		return h.Runs[len(h.Runs)-1].Start
	}
	slices.SortStableFunc(all, func(a, b history.ApplicationRuns) int { return cmp.Compare(last(b), last(a)) })
	if q.Series > 0 {
		all = all[:min(len(all), q.Series)]
	}
	return all, nil
}

// site returns the recent data of the site, from all histories.
func (j openedHistories) site(ctx context.Context, now float64) (history.Site, error) {
	var sites []history.Site
	for _, db := range j.dbs {
		s, err := db.Site(ctx, now)
		if err != nil {
			return history.Site{}, err
		}
		sites = append(sites, s)
	}
	return history.JoinSites(sites), nil
}

// noRunError is the error for a job that no history contains.
type noRunError struct{ id, path string }

func (e noRunError) Error() string {
	return fmt.Sprintf("no run of job %s in %s (jobgait list shows what is there)", e.id, e.path)
}

func (noRunError) Is(target error) bool { return target == history.ErrNotFound }
