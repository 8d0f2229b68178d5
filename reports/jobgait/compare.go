package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint/pair"
	"jobgait/analysis/history"
	"jobgait/analysis/run"
	"jobgait/analysis/summary"
	"jobgait/analysis/table"
	"jobgait/reports/change"
	"jobgait/reports/earlier"
)

// compareOptions are the flags of compare.
type compareOptions struct {
	unit, join, by string
	series         []string
	json, like     bool
	history        string
	metric         string
	columns        table.Columns // of files
}

// compareCommand returns the verb compare.
func compareCommand(getenv func(string) string) *cobra.Command {
	var o compareOptions
	c := &cobra.Command{
		Use:   "compare A B",
		Short: "compare the run times of two runs or of two histories",
		Long: "compare compares two stored runs, field by field and phase by phase; A and B\n" +
			"are job ids. With --like it compares all runs like A (same user, application\n" +
			"and shape) with all runs like B. If both have the same application and shape,\n" +
			"it compares the runs with A's executable with those with B's; --by selects\n" +
			"another recorded field.\n\n" +
			"A and B may also be files as for jobgait changes; a file whose name is a number\n" +
			"is written as ./123. A file with several series needs --series ID, once for\n" +
			"both files or once for each.\n\n" +
			"Runs of the same day t are compared with each other: the median of the day's\n" +
			"repeats. The result is the relative difference of B from A with its 99 %\n" +
			"interval, since the ratio of the two last changed. With --join scale runs of\n" +
			"equal t are compared. With --join none, and if the files have fewer than two\n" +
			"days in common, all runs of one are compared with all of the other (95 %\n" +
			"interval).",
		Args: argCount(2, 2, "two job ids or two files: jobgait compare A B"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, getenv, args) },
	}
	c.Flags().StringVar(&o.join, "join", "",
		"pair the runs of one day, of one scale, or none (default: day, or none where no two days are "+
			"shared)")
	c.Flags().StringVar(&o.by, "by", "",
		"with --like, for jobs of one history: compare by this recorded field (default: build_id, commit or "+
			"the first that differs)")
	c.Flags().StringArrayVar(&o.series, "series", nil,
		"select the series with this id in a file of several; twice: one for A, one for B")
	unitFlag(c, &o.unit)
	columnFlags(c.Flags(), &o.columns)
	historyFlag(c, &o.history)
	c.Flags().BoolVar(&o.like, "like", false, "compare all stored runs like job A with all like job B")
	c.Flags().StringVar(&o.metric, "metric", "", "with --like, compare "+application.MetricNames())
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// ofStored compares two stored runs.
func (o compareOptions) ofStored(cmd *cobra.Command, getenv func(string) string, ids []string) (failed error) {
	from, err := openHistories(cmd.Context(), getenv, o.history)
	if err != nil {
		return err
	}
	defer from.closeAfter(&failed)
	var runs [2]summary.Summary
	for i, id := range ids {
		if runs[i], _, err = from.run(cmd.Context(), id); err != nil {
			return err
		}
	}
	t := change.CompareRuns(runs[0], runs[1])
	if o.json {
		return change.RunsJSON(cmd.OutOrStdout(), t)
	}
	return change.RunsText(cmd.OutOrStdout(), t)
}

// run checks the flags and compares what the arguments A and B name: two jobs, with --like the histories of two jobs,
// else two files.
func (o compareOptions) run(cmd *cobra.Command, getenv func(string) string, args []string) error {
	if !slices.Contains([]string{"", string(pair.JoinDay), string(pair.JoinScale), joinNone}, o.join) {
		return usageError{fmt.Errorf("invalid --join %s: want day, scale or none", o.join)}
	}
	if o.by != "" && !o.like {
		return usageError{fmt.Errorf("--by works only together with --like: add --like")}
	}
	if err := validUnit(o.unit); err != nil {
		return err
	}
	if err := (storedFlags{metric: o.metric}).valid(); err != nil {
		return err
	}
	jobs := run.IsDisplayID(args[0]) && run.IsDisplayID(args[1])
	switch {
	case jobs && o.like:
		return o.ofHistories(cmd, getenv, args)
	case jobs:
		return o.ofStored(cmd, getenv, args)
	case o.like:
		return usageError{fmt.Errorf("with --like, A and B must be job ids")}
	}
	if err := rejectJobBesideFile(args); err != nil {
		return err
	}
	if len(o.series) > 2 {
		return usageError{fmt.Errorf("--series names %d series: want one for both files, or one for each", len(o.series))}
	}
	if args[0] == "-" && args[1] == "-" {
		return usageError{fmt.Errorf("A and B cannot both be -: name a file for one of them")}
	}
	a, b, sayReading, err := o.read(cmd, args)
	if err != nil {
		return err
	}
	if err := o.compare(cmd, a, b); err != nil {
		return err
	}
	sayReading()
	return nil
}

// rejectJobBesideFile returns a usage error for a job id beside a file, unless a file has that name.
func rejectJobBesideFile(args []string) error {
	for i, a := range args {
		if _, err := os.Stat(a); err != nil && run.IsDisplayID(a) {
			return usageError{fmt.Errorf("%s is a job id and %s is not: want two job ids or two files", a, args[1-i])}
		}
	}
	return nil
}

// ofHistories compares the histories that two stored runs belong to; if that is one history, the parts of it
// that differ in a recorded field.
func (o compareOptions) ofHistories(cmd *cobra.Command, getenv func(string) string, ids []string) (failed error) {
	from, err := openHistories(cmd.Context(), getenv, o.history)
	if err != nil {
		return err
	}
	defer from.closeAfter(&failed)
	var pair [2]change.History
	for i, id := range ids {
		if pair[i], err = historyWith(cmd.Context(), from, id, o.metric); err != nil {
			return err
		}
	}
	if pair[0].ID == pair[1].ID {
		if pair[0], pair[1], err = o.parts(pair[0], ids); err != nil {
			return err
		}
	}
	if pair[0].Metric != pair[1].Metric {
		return fmt.Errorf("job %s is judged by %s and job %s by %s: choose one with --metric", ids[0], pair[0].Metric, ids[1],
			pair[1].Metric)
	}
	return o.compare(cmd, pair[0], pair[1])
}

// historyWith returns the history that contains a stored run. It is an error if the run is not among the
// newest mostStoredRuns of its series, or is older than storedDays.
func historyWith(ctx context.Context, from openedHistories, id, metric string) (change.History, error) {
	run, _, err := from.run(ctx, id)
	if err != nil {
		return change.History{}, err
	}
	list, err := from.histories(ctx,
		history.HistoryQuery{Cluster: run.Key.Cluster, User: run.Job.User,
			Since: float64(time.Now().Unix()) - storedDays*86400, Runs: mostStoredRuns, Series: mostStoredSeries})
	if err != nil {
		return change.History{}, err
	}
	all, err := application.NewHistories(list, metric)
	if err != nil {
		return change.History{}, err
	}
	for _, h := range earlier.NamedHistories(all, true) {
		if slices.Contains(h.Jobs, id) {
			return h, nil
		}
	}
	return change.History{}, fmt.Errorf("cannot compare job %s: it is not among the %d newest runs of its kind in the "+
		"last %d days: name a newer job", id, mostStoredRuns, storedDays)
}

// read reads the two histories to compare from files.
func (o compareOptions) read(cmd *cobra.Command, paths []string) (a, b change.History, sayReading func(), err error) {
	var pair [2]change.History
	var readings []func()
	for i, path := range paths {
		hs, say, err := readHistories(cmd, []string{path}, o.unit, o.columns)
		if err != nil {
			return a, b, nil, err
		}
		id := ""
		if len(o.series) > 0 {
			id = o.series[min(i, len(o.series)-1)]
		}
		if pair[i], err = seriesByID(hs, id, path); err != nil {
			return a, b, nil, err
		}
		readings = append(readings, say)
	}
	return pair[0], pair[1], func() { readings[0](); readings[1]() }, nil
}

// seriesByID returns the series with that id, or the only one if id is "".
func seriesByID(hs []change.History, id, path string) (change.History, error) {
	if id == "" && len(hs) == 1 {
		return hs[0], nil
	}
	if id == "" {
		return change.History{}, usageError{fmt.Errorf("%s has %d series: choose one with --series ID: %s", path, len(hs),
			firstIDs(hs))}
	}
	for _, h := range hs {
		if h.ID == id {
			return h, nil
		}
	}
	return change.History{}, fmt.Errorf("%s: no series has the id %q: the ids are %s", path, id, firstIDs(hs))
}

// firstIDs lists the ids of series, at most 200 bytes of them.
func firstIDs(hs []change.History) string {
	const maxBytes = 200
	text := ""
	for i, h := range hs {
		id := fmt.Sprintf("%.100q", h.ID)
		if len(text)+len(id) > maxBytes && i > 0 {
			return fmt.Sprintf("%s and %d more", text, len(hs)-i)
		}
		if i > 0 {
			text += ", "
		}
		text += id
	}
	return text
}

// joinNone pairs no runs.
const joinNone = "none"

// compare compares two histories, paired as --join says, and prints the result. By default runs of one day are paired;
// if that gives no result and each history has three values or more, all are compared with all.
func (o compareOptions) compare(cmd *cobra.Command, a, b change.History) error {
	// Fewer than three runs of each say nothing without a partner.
	const enough = 3
	join := cmp.Or(pair.Join(o.join), pair.JoinDay)
	var p change.Pair
	if join != joinNone {
		p = change.Compare(a, b, join)
	}
	if join == joinNone || o.join == "" && p.RelativePct == nil && min(a.Values(), b.Values()) >= enough {
		p = change.CompareSets(a, b)
	}
	if o.json {
		return change.PairJSON(cmd.OutOrStdout(), p)
	}
	return change.PairText(cmd.OutOrStdout(), p)
}

// parts splits the history of two jobs into the runs that share the value of the field --by (default: the first
// that differs) with the first job, and those that share it with the second: usually two builds.
func (o compareOptions) parts(h change.History, ids []string) (a, b change.History, err error) {
	i, j := slices.Index(h.Jobs, ids[0]), slices.Index(h.Jobs, ids[1])
	differ := h.Differ(i, j)
	switch {
	case len(differ) == 0:
		return a, b, fmt.Errorf("jobs %s and %s are runs of one history, %s, and nothing that was recorded of them "+
			"differs: record what does with jobgait run --label NAME=VALUE", ids[0], ids[1], h.Title())
	case o.by == "":
		return h.With(differ[0], i), h.With(differ[0], j), nil
	case !slices.Contains(differ, o.by):
		return a, b, fmt.Errorf("--by %s: jobs %s and %s have the same value: choose one of the fields in which they "+
			"differ: %s", o.by, ids[0], ids[1],
			strings.Join(differ, ", "))
	}
	return h.With(o.by, i), h.With(o.by, j), nil
}
