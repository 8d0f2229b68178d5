package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/formats"
	"jobgait/analysis/history"
	"jobgait/analysis/summary"
	"jobgait/reports/change"
	"jobgait/reports/past"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	unit, join string
	series     []string
	json, like bool
	history    string
	metric     string
}

func compareCommand(getenv func(string) string) *cobra.Command {
	var o compareOptions
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "how much longer does B take than A: two runs, or two histories",
		Long: "compare holds two stored runs against each other, A and B being job ids, field\n" +
			"by field and phase by phase; with --like all runs like A (same user, application\n" +
			"and shape) against all like B; or two histories in files. A file whose name is a\n" +
			"number is ./123.\n\n" +
			"It joins the runs of two histories by the day of their time t, the\n" +
			"median of a day's repeats, and tells the relative difference of B against A with\n" +
			"its 99 % interval: since the ratio of the two last changed. A and B are files as\n" +
			"those of jobgait changes. A file of several series needs --series ID, once for\n" +
			"both files or once for each. With --join scale runs of equal t belong together\n" +
			"instead.",
		Args: exactly(2, "two job ids or two files: jobgait compare A B"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, getenv, args) },
	}
	c.Flags().StringVar(&o.join, "join", string(changepoint.JoinDay), "runs of one day, or of one scale, belong together")
	c.Flags().StringArrayVar(&o.series, "series", nil, "id of the series in a file of several; twice: one for A, one for B")
	unitFlag(c, &o.unit)
	historyFlag(c, &o.history)
	c.Flags().BoolVar(&o.like, "like", false, "all stored runs like job A against all like job B")
	c.Flags().StringVar(&o.metric, "metric", "", "with --like: step_s, elapsed_s, cpu_s, startup_s, checkpoint_s, energy_j")
	c.Flags().BoolVar(&o.json, "json", false, "as JSON")
	return c
}

// ofStored holds two stored runs against each other.
func (o compareOptions) ofStored(cmd *cobra.Command, getenv func(string) string, ids []string) error {
	db, path, err := openHistory(cmd.Context(), getenv, o.history)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var runs [2]summary.Summary
	for i, id := range ids {
		if runs[i], err = storedRun(cmd.Context(), db, path, id); err != nil {
			return err
		}
	}
	t := change.CompareRuns(runs[0], runs[1])
	if o.json {
		return change.RunsJSON(cmd.OutOrStdout(), t)
	}
	return change.RunsText(cmd.OutOrStdout(), t)
}

// run compares what A and B name.
func (o compareOptions) run(cmd *cobra.Command, getenv func(string) string, args []string) error {
	join := changepoint.Join(o.join)
	if join != changepoint.JoinDay && join != changepoint.JoinScale {
		return usageError{fmt.Errorf("--join %s: there are day and scale", o.join)}
	}
	if err := validUnit(o.unit); err != nil {
		return err
	}
	if err := (storedFlags{metric: o.metric}).valid(); err != nil {
		return err
	}
	jobs := jobID.MatchString(args[0]) && jobID.MatchString(args[1])
	switch {
	case jobs && o.like:
		return o.ofHistories(cmd, getenv, args, join)
	case jobs:
		return o.ofStored(cmd, getenv, args)
	case o.like:
		return usageError{fmt.Errorf("--like: A and B are job ids")}
	}
	if err := oneJobOneFile(args); err != nil {
		return err
	}
	if len(o.series) > 2 {
		return usageError{fmt.Errorf("--series names %d series: one for both files, or one for each", len(o.series))}
	}
	if args[0] == "-" && args[1] == "-" {
		return usageError{fmt.Errorf("standard input is one file: A and B cannot both be -")}
	}
	a, b, err := o.read(cmd, args)
	if err != nil {
		return err
	}
	return comparisonOf(cmd, a, b, join, o.json)
}

// oneJobOneFile refuses a job id beside a file, unless a file is called so.
func oneJobOneFile(args []string) error {
	for i, a := range args {
		if _, err := os.Stat(a); err != nil && jobID.MatchString(a) {
			return usageError{fmt.Errorf("%s is a job id and %s is not: two job ids or two files", a, args[1-i])}
		}
	}
	return nil
}

// ofHistories compares the histories that two stored runs belong to.
func (o compareOptions) ofHistories(cmd *cobra.Command, getenv func(string) string, ids []string, join changepoint.Join) error {
	db, path, err := openHistory(cmd.Context(), getenv, o.history)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	var pair [2]change.History
	for i, id := range ids {
		if pair[i], err = historyWith(cmd.Context(), db, path, id, o.metric); err != nil {
			return err
		}
	}
	if pair[0].ID == pair[1].ID {
		return fmt.Errorf("jobs %s and %s are runs of one history, %s (jobgait changes tells of it)", ids[0], ids[1], pair[0].Title())
	}
	if pair[0].Metric != pair[1].Metric {
		return fmt.Errorf("job %s is judged by %s and job %s by %s: --metric says which", ids[0], pair[0].Metric, ids[1], pair[1].Metric)
	}
	return comparisonOf(cmd, pair[0], pair[1], join, o.json)
}

// historyWith returns the history that has a stored run.
func historyWith(ctx context.Context, db *history.DB, path, id, metric string) (change.History, error) {
	run, err := storedRun(ctx, db, path, id)
	if err != nil {
		return change.History{}, err
	}
	list, err := db.Histories(ctx, history.HistoryQuery{User: run.Job.User, Since: float64(time.Now().Unix()) - storedDays*86400, Runs: mostStoredRuns, Series: mostStoredSeries})
	if err != nil {
		return change.History{}, err
	}
	all, err := past.Of(list, metric)
	if err != nil {
		return change.History{}, err
	}
	for _, h := range all.List {
		if slices.Contains(h.Jobs, id) {
			return h, nil
		}
	}
	return change.History{}, fmt.Errorf("job %s: none of the %d newest runs of its kind in the last %d days", id, mostStoredRuns, storedDays)
}

// read returns the two histories that are compared.
func (o compareOptions) read(cmd *cobra.Command, paths []string) (a, b change.History, err error) {
	var pair [2]change.History
	for i, path := range paths {
		hs, err := readHistories(cmd, path, formats.Unit(o.unit))
		if err != nil {
			return a, b, err
		}
		id := ""
		if len(o.series) > 0 {
			id = o.series[min(i, len(o.series)-1)]
		}
		if pair[i], err = pick(hs, id, path); err != nil {
			return a, b, err
		}
	}
	return pair[0], pair[1], nil
}

// pick returns the series of that id, or the only one if no id is given.
func pick(hs []change.History, id, path string) (change.History, error) {
	if id == "" && len(hs) == 1 {
		return hs[0], nil
	}
	if id == "" {
		return change.History{}, usageError{fmt.Errorf("%s has %d series: --series says which", path, len(hs))}
	}
	for _, h := range hs {
		if h.ID == id {
			return h, nil
		}
	}
	return change.History{}, fmt.Errorf("%s: find series: there is none with the id %q", path, id)
}

// comparisonOf compares two histories, wherever they came from, and says how.
func comparisonOf(cmd *cobra.Command, a, b change.History, join changepoint.Join, asJSON bool) error {
	p := change.Compare(a, b, join, changepoint.Default(), changepoint.DefaultPairs())
	if asJSON {
		return change.PairJSON(cmd.OutOrStdout(), p)
	}
	return change.PairText(cmd.OutOrStdout(), p)
}
