package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/pair"
	"jobgait/analysis/history"
	"jobgait/analysis/table"
	"jobgait/configs"
	"jobgait/reports/change"
	"jobgait/reports/dashboard"
	"jobgait/reports/earlier"
)

// dashboardOptions are the flags of dashboard.
type dashboardOptions struct {
	out, title      string
	days, minEffect float64
	now             float64 // in days since 1970, or the newest run of a file
	unit            string
	of              string // says which histories are shown, "" for all
	pairs           []string
	stored          storedFlags
	site            func() (*history.Site, error) // reads the data of a whole site; nil for less than a site
	runs            *dashboard.RunList            // nil for files
}

// dashboardCommand returns the verb dashboard.
func dashboardCommand(getenv func(string) string) *cobra.Command {
	var o dashboardOptions
	c := &cobra.Command{
		Use:   "dashboard -o FILE.html [FILE...]",
		Short: "write one page of all histories: what changed, levels, comparisons",
		Long: "dashboard writes one page that needs no server, no network and no script. It\n" +
			"shows your stored runs, those of --user or of the whole --site, or FILEs.\n\n" +
			"FILEs have the formats of jobgait changes: each app, shape and benchmark of a\n" +
			"CSV file is a history. Lines may also give metric and unit, and a\n" +
			"field job or commit is shown with each run. Further metrics (also, or columns\n" +
			"that end in _s) can be selected beside the values. Shapes of one application\n" +
			"are compared with each other, as are the series that --compare A,B names.\n\n" +
			"The page of the whole --site also shows what became slower and when, by the\n" +
			"node hours lost since; which nodes are slow or faulty, with the jobs that show\n" +
			"it; where node hours go, by application, with cycle, waiting, memory and GPU\n" +
			"use; which are wasted, by finding and by account; and how many jobs have a\n" +
			"report and a period, and why others have none. jobgait-history(5) has the\n" +
			"query behind each of these.",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.valid(); err != nil {
				return err
			}
			if len(args) == 0 {
				return o.ofStored(cmd, getenv)
			}
			return o.ofFiles(cmd, args)
		},
	}
	f := c.Flags()
	f.StringVarP(&o.out, "output", "o", "", "write the page to this file")
	f.StringVar(&o.title, "title", "", "set the title of the page (default: whose runs, or the files)")
	f.Float64Var(&o.days, "days", 14, "let the first list reach back this many days; 0: all")
	f.Float64Var(&o.minEffect, "min-effect", 2, "report changes of at least this many percent")
	f.StringArrayVar(&o.pairs, "compare", nil, "also compare series B with series A, given as ids A,B")
	unitFlag(c, &o.unit)
	o.stored.add(c)
	return c
}

// ofFiles writes the page of the histories in files.
func (o dashboardOptions) ofFiles(cmd *cobra.Command, paths []string) error {
	if err := rejectStoredFlags(cmd); err != nil {
		return err
	}
	hs, sayReading, err := readHistories(cmd, paths, o.unit, table.Columns{})
	if err != nil {
		return err
	}
	if o.title == "" {
		o.title = titleOf(paths)
	}
	o.now = change.Newest(hs)
	progress, p := analysisProgress(cmd, len(hs))
	err = dashboardOf(hs, nil, change.Acks{}, p, o)
	progress.done()
	if err != nil {
		return err
	}
	sayReading()
	return nil
}

// ofStored writes the page of stored runs.
func (o dashboardOptions) ofStored(cmd *cobra.Command, getenv func(string) string) error {
	if o.stored.page = o.days; o.days == 0 {
		o.stored.page = storedDays
	}
	if o.stored.site && o.stored.app == "" {
		// The site's totals are queried while its histories are read and judged.
		var site history.Site
		var failed error
		var asking sync.WaitGroup
		asking.Go(func() { site, failed = siteOf(cmd.Context(), getenv, o.stored.history) })
		defer asking.Wait()
		o.site = func() (*history.Site, error) { asking.Wait(); return &site, failed }
	}
	s, err := o.stored.read(cmd, getenv)
	if err != nil {
		return err
	}
	if o.runs, err = o.runList(cmd.Context(), getenv); err != nil {
		return err
	}
	if o.title == "" {
		o.title = "Runs of " + s.whose
	}
	if o.stored.site && len(s.List)+len(historyPaths(o.stored.history)) > mostPageSeries {
		o.of = fmt.Sprintf("Of this site %d series were judged: those whose reports of these days name a change, half "+
			"of them at most, and those that ran last.", len(s.List))
	}
	o.now = now()
	progress, p := analysisProgress(cmd, len(s.List))
	defer progress.done()
	var asked, others []change.History
	for i, h := range s.List {
		if s.chosen[i] {
			asked = append(asked, h)
		} else {
			others = append(others, h)
		}
	}
	return dashboardOf(asked, others, earlier.Acknowledged(s.Histories), p, o)
}

// siteOf returns the data of the site whose histories the flag names.
func siteOf(ctx context.Context, getenv func(string) string, flag string) (_ history.Site, failed error) {
	from, err := openHistories(ctx, getenv, flag)
	if err != nil {
		return history.Site{}, err
	}
	defer from.closeAfter(&failed)
	return from.site(ctx, float64(time.Now().Unix()))
}

// valid returns a usage error for invalid values of flags, and an error if the page's directory is missing.
func (o dashboardOptions) valid() error {
	switch {
	case o.out == "":
		return usageError{fmt.Errorf("dashboard needs a file to write: add -o FILE.html")}
	case o.out == "-":
		return usageError{errNoOutput}
	case !(o.days >= 0) || math.IsInf(o.days, 0):
		return usageError{fmt.Errorf("invalid --days %g: want 0 or more", o.days)}
	case !(o.minEffect >= 0) || math.IsInf(o.minEffect, 0):
		return usageError{fmt.Errorf("invalid --min-effect %g: want 0 or more", o.minEffect)}
	}
	if err := o.stored.valid(); err != nil {
		return err
	}
	// The analysis of a site takes a minute, so an output that cannot be written is reported first.
	if info, err := os.Stat(filepath.Dir(o.out)); err != nil {
		return fmt.Errorf("write %s: %w", o.out, err)
	} else if !info.IsDir() {
		return fmt.Errorf("write %s: %s is not a directory: name a file in a directory", o.out, filepath.Dir(o.out))
	}
	return validUnit(o.unit)
}

// titleOf returns the page's title from the names of the files.
func titleOf(paths []string) string {
	var names []string
	for _, p := range paths {
		if p == "-" {
			p = "standard input"
		}
		names = append(names, filepath.Base(p))
	}
	return strings.Join(names, ", ")
}

// dashboardOf writes the page of histories hs. The histories others are analysed for shifts of the machine but
// not shown. p are the parameters of the analysis.
func dashboardOf(hs, others []change.History, acks change.Acks, p changepoint.Params, o dashboardOptions) error {
	told := change.Default()
	told.MinEffectPct, told.Now, told.Acks, told.Years = o.minEffect, o.now, acks, change.NeedsYear(hs, now())
	told.Site = o.stored.site
	leading, supporting := change.SplitLeadingMetric(hs)
	besideLeading, beside := change.SplitLeadingMetric(others)
	r := shownOf(leading, besideLeading, p, told)
	few := len(leading) <= dashboard.MostDrawn // of more none has room for its further metrics
	told.Site = false                          // the page has one rate, that of what leads
	if few {
		for _, metric := range supporting {
			r.Add(shownOf(metric, likeMetric(beside, metric), p, told))
		}
	}
	pairs, err := pairsOf(hs, leading, o.pairs)
	if err != nil {
		return err
	}
	var site *history.Site
	if o.site != nil {
		if site, err = o.site(); err != nil {
			return err
		}
	}
	return writeFile(o.out, func(w io.Writer) error {
		return dashboard.HTML(w, dashboard.Contents{Title: o.title, Of: o.of, Report: r,
			NoFurther: !few && len(supporting) > 0, Pairs: pairs, Runs: o.runs, ShowUsers: o.stored.site,
			Link: linksFrom(filepath.Dir(o.out)), Site: site, Days: o.days, Options: told,
			Version: configs.Version, Created: time.Now(), Limits: dashboard.DefaultPageLimits()})
	})
}

// shownOf judges histories together with others, which are left out of the report.
func shownOf(hs, others []change.History, p changepoint.Params, o change.Options) change.Report {
	all := slices.Concat(hs, others)
	p.NoFunctions = true // the page shows none
	return change.Analyse(all, changepoint.Sequential, p, o).Keep(func(i int) bool { return i < len(hs) })
}

// likeMetric returns the group that has the metric of hs.
func likeMetric(groups [][]change.History, hs []change.History) []change.History {
	for _, g := range groups {
		if g[0].Metric == hs[0].Metric {
			return g
		}
	}
	return nil
}

// pairsOf compares the named series, the shapes of each user's application by its leading metric, and all leading
// series with each other if they are at most four and none is named. It leaves out shapes with different arguments of
// the command. The number of pairs is limited, except for named ones; bad series are only compared if named.
func pairsOf(hs, leading []change.History, named []string) ([]change.Pair, error) {
	const few = 4
	var pairs []change.Pair
	compare := func(a, b change.History, sameApp bool) {
		p := change.Compare(a, b, pair.JoinDay)
		if sameApp {
			p.Of, p.Base, p.Other = change.Label(a.App, a.Metric), change.ShapeName(a.Shape), change.ShapeName(b.Shape)
			if a.User != "" && slices.ContainsFunc(leading, func(h change.History) bool { return h.User != a.User }) {
				p.Of = change.Label(a.User) + " / " + p.Of
			}
		}
		pairs = append(pairs, p)
	}
	for _, name := range named {
		idA, idB, ok := strings.Cut(name, ",")
		if !ok || idA == "" || idB == "" {
			return nil, usageError{fmt.Errorf("invalid --compare %s: want the ids of two series, A,B", name)}
		}
		a, err := seriesByID(hs, idA, "the input")
		if err != nil {
			return nil, err
		}
		b, err := seriesByID(hs, idB, "the input")
		if err != nil {
			return nil, err
		}
		compare(a, b, false)
	}
	limit := dashboard.DefaultPageLimits().Pairs
	for i, a := range leading {
		for _, b := range leading[i+1:] {
			shapes := a.App != "" && a.App == b.App && a.User == b.User && a.Metric == b.Metric && a.Shape != b.Shape
			if shapes && otherArguments(a.Shape, b.Shape) {
				continue // the work differs
			}
			if a.Bad || b.Bad || len(pairs) >= limit || !shapes && (len(leading) > few || len(named) > 0) {
				continue
			}
			compare(a, b, shapes)
		}
	}
	return pairs, nil
}

// otherArguments reports whether two shapes have different arguments of the command.
func otherArguments(a, b string) bool {
	x, _ := history.LayoutOf(a)
	y, _ := history.LayoutOf(b)
	return x.Arguments != y.Arguments
}
