package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/reports/change"
	"jobgait/reports/earlier"
)

// storedFlags are the flags that select stored runs, of the verbs that also take files of numbers.
type storedFlags struct {
	history, user, app, metric string
	site                       bool
	// page is the number of days that a site's page lists first; 0 if the verb writes no such page.
	page float64
}

// add adds the flags.
func (f *storedFlags) add(c *cobra.Command) {
	historyFlag(c, &f.history)
	c.Flags().StringVarP(&f.user, "user", "u", "", "use the stored runs of this user (default: yours)")
	c.Flags().StringVar(&f.app, "app", "", "use only stored runs of this application")
	c.Flags().BoolVar(&f.site, "site", false, "use the stored runs of all users")
	c.MarkFlagsMutuallyExclusive("site", "user")
	c.Flags().StringVar(&f.metric, "metric", "", "analyse this metric of stored runs: "+application.MetricNames()+
		" (default: step_s where most runs have it, else elapsed_s)")
}

// valid returns a usage error for an unknown metric.
func (f storedFlags) valid() error {
	if _, ok := application.MetricOf(f.metric); f.metric != "" && !ok {
		return usageError{fmt.Errorf("invalid --metric %s: want one of %s", f.metric, application.MetricNames())}
	}
	return nil
}

// Limits of the query. A day of a large site has some thousand series; series that did not run for half a year
// are not needed. A limited number of other series suffices to detect shifts of the machine: judging a whole
// site for one user would take minutes.
const (
	mostStoredSeries = 4000
	mostStoredRuns   = 400
	mostOtherSeries  = application.MostOthers
	// mostPageSeries is the number of series judged for a site's page, which draws at most 80. Where 125,000
	// series run in two weeks, the newest 4,000 cover only a few hours. So up to half of the series are those
	// whose reports mentioned a change in the days of the page, which is known without judging them. mostPageRuns
	// is the number of runs that the report of a run is judged with.
	mostPageSeries, mostPageRuns = 1000, history.DefaultLimit
	storedDays                   = 180
)

// stored are the histories of stored runs that a verb analyses.
type stored struct {
	application.Histories
	List []change.History // the histories with their names
	// chosen marks the requested histories; the others are included because they show shifts of the machine.
	chosen []bool
	path   string
	whose  string // runs these are
}

// read reads the requested histories, with getenv as the environment. If they are those of one user or
// application, it also reads other histories, of any user and application, that have a run in the last
// storedDays days: they show shifts of the machine. It returns an error if no requested history is found.
func (f storedFlags) read(cmd *cobra.Command, getenv func(string) string) (_ stored, failed error) {
	from, err := openHistories(cmd.Context(), getenv, f.history)
	if err != nil {
		return stored{}, err
	}
	defer from.closeAfter(&failed)
	who := f.user
	if who == "" && !f.site {
		who = userName()
	}
	list, chosen, err := f.histories(cmd.Context(), from, who)
	if err != nil {
		return stored{}, err
	}
	s := stored{chosen: chosen, path: from.path(), whose: f.whose(who)}
	if s.Histories, err = application.NewHistories(list, f.metric); err != nil {
		return s, err
	}
	s.OnlyCodeOf(func(i int) bool { return chosen[i] })
	s.List = earlier.NamedHistories(s.Histories, f.site) // else all of one user, who is named once
	if len(from.dbs) > 1 {
		for i := range s.List {
			s.List[i].Name = s.Stored[i].Cluster + " " + s.List[i].Name
		}
	}
	if !slices.Contains(s.chosen, true) {
		hint := "jobgait list shows what is there"
		if !f.site && f.user == "" {
			hint = "--site is all users, " + hint
		}
		return s, fmt.Errorf("found no runs of %s, none in the last %d days in %s (%s)", s.whose, storedDays, s.path, hint)
	}
	return s, nil
}

// histories reads the requested histories, then others that ran lately. chosen is true for the requested
// ones.
func (f storedFlags) histories(ctx context.Context, from openedHistories, who string) (list []history.ApplicationRuns,
	chosen []bool, err error) {
	q := history.HistoryQuery{User: who, App: f.app, Since: float64(time.Now().Unix()) - storedDays*86400,
		Runs: mostStoredRuns, Series: mostStoredSeries}
	if f.site && f.app == "" && f.page > 0 {
		q.Series, q.Runs, q.ChangedSince = mostPageSeries, mostPageRuns, float64(time.Now().Unix())-f.page*86400
	}
	if list, err = from.histories(ctx, q); err != nil {
		return nil, nil, err
	}
	chosen = slices.Repeat([]bool{true}, len(list))
	if who == "" && f.app == "" {
		return list, chosen, nil
	}
	asked := map[int64]bool{}
	for _, h := range list {
		asked[h.SeriesID] = true
	}
	q.User, q.App, q.Series = "", "", len(asked)+mostOtherSeries
	others, err := from.histories(ctx, q)
	for _, h := range others {
		if !asked[h.SeriesID] && len(list) < q.Series {
			list, chosen = append(list, h), append(chosen, false)
		}
	}
	return list, chosen, err
}

// whose returns words for the owner of the requested histories.
func (f storedFlags) whose(who string) string {
	if f.site {
		who = "all users"
	}
	if f.app != "" {
		return f.app + " by " + who
	}
	return who
}

// now is the current time in days since 1970.
func now() float64 { return float64(time.Now().Unix()) / 86400 }

// choose returns the requested histories with their results.
func (s stored) choose(found changepoint.Analysis) (application.Histories, changepoint.Analysis) {
	results := changepoint.Analysis{Method: found.Method, Machine: found.Machine}
	for i, r := range found.Series {
		if s.chosen[i] {
			results.Series = append(results.Series, r)
		}
	}
	return s.Keep(func(i int) bool { return s.chosen[i] }), results
}
