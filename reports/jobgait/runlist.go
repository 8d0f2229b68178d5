package main

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"jobgait/analysis/history"
	"jobgait/reports/dashboard"
	"jobgait/reports/job"
)

// runList reads the newest runs and the newest failed runs of the page's days, at most dashboard.ListedRuns each, with
// the number of all. The flags select the user, by default the caller, or the whole site.
func (o dashboardOptions) runList(ctx context.Context, getenv func(string) string) (_ *dashboard.RunList,
	failed error) {
	from, err := openHistories(ctx, getenv, o.stored.history)
	if err != nil {
		return nil, err
	}
	defer from.closeAfter(&failed)
	const daySeconds = 86400
	q := history.Query{User: o.stored.user, App: o.stored.app, Limit: dashboard.ListedRuns,
		Since: float64(time.Now().Unix()) - o.stored.page*daySeconds}
	if q.User == "" && !o.stored.site {
		q.User = userName()
	}
	list := &dashboard.RunList{}
	if list.Newest, list.Total, err = from.listed(ctx, q); err != nil {
		return nil, err
	}
	q.Failed = true
	list.Failed, list.TotalFailed, err = from.listed(ctx, q)
	return list, err
}

// listed returns the newest runs that a query selects, and the number of all.
func (j openedHistories) listed(ctx context.Context, q history.Query) (list []dashboard.ListedRun, total int,
	err error) {
	for _, db := range j.dbs {
		n, err := db.Count(ctx, q)
		if err != nil {
			return nil, 0, err
		}
		total += n
	}
	runs, err := j.runs(ctx, q)
	for _, r := range runs {
		list = append(list, r.listed(ctx))
	}
	return list, total, err
}

// listed returns the run's entry for a list of runs. How the run ended is from its report, or the scheduler's state
// if the report cannot be made; the other fields are from the stored run.
func (r foundRun) listed(ctx context.Context) dashboard.ListedRun {
	one := dashboard.ListedRun{JobID: r.DisplayID, User: r.User, App: r.App, Start: time.Unix(int64(r.Start), 0),
		ElapsedS: r.ElapsedS, Failed: !r.EndedNormally(), Ended: r.FinalState(), Page: job.PagePath(r.Run)}
	s, _, err := r.db.Lookup(ctx, history.Ref{ID: r.DisplayID, Cluster: r.Cluster, Restart: &r.Restart, Sub: &r.Sub})
	if err == nil {
		one.Ended, one.Finding = job.New(s, nil, job.Options{}).Outcome()
	}
	return one
}

// linksFrom returns a function that returns the URL of a file relative to a page in directory dir, "" for a file that
// does not exist.
func linksFrom(dir string) func(path string) string {
	at, err := filepath.Abs(dir)
	return func(path string) string {
		info, statErr := os.Stat(path)
		if err != nil || statErr != nil || !info.Mode().IsRegular() {
			return ""
		}
		to, err := filepath.Rel(at, path)
		if err != nil {
			return ""
		}
		link := (&url.URL{Path: filepath.ToSlash(to)}).String()
		if !strings.HasPrefix(link, ".") {
			link = "./" + link // a colon in a name must not look like a URL scheme
		}
		return link
	}
}
