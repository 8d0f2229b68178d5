package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/summary"
	"jobgait/reports/change"
	"jobgait/reports/earlier"
)

// ofStored looks for changes of stored runs. Those of others on the same machine
// are looked at too, for shifts that all of them show, and not told.
func (o changesOptions) ofStored(cmd *cobra.Command, getenv func(string) string) error {
	if o.ack != "" {
		if err := oneHistory(o.stored.history, "changes --ack"); err != nil {
			return err
		}
	}
	s, err := o.stored.read(cmd, getenv)
	if err != nil {
		return err
	}
	progress := lookingAt(cmd, len(s.List))
	out := o.options()
	out.Now, out.Acks, out.Stored, out.Site = now(), earlier.Acknowledged(s.Histories), true, o.stored.site
	out.History, out.Whose = o.stored.history, s.whose
	r := change.Analyse(s.List, changepoint.Method(o.method), changepoint.Default(), out)
	progress.done()
	if o.ack != "" {
		return o.acknowledge(cmd.Context(), s, r)
	}
	short := 0
	kept := r.Keep(func(i int) bool {
		if s.chosen[i] && s.List[i].Values() < fewest {
			short++
			return false
		}
		return s.chosen[i]
	})
	if short > 0 && !o.json {
		of := "runs"
		if o.stored.metric != "" {
			of = "runs with " + o.stored.metric
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: not listed: %d series of fewer than %d %s\n", short, fewest, of)
	}
	return o.print(cmd, kept)
}

// fewest is the number of runs below which nothing is said of a history: lists
// of a site would be full of them.
const fewest = 5

// acknowledge stores that the change which begins with a job has been seen.
func (o changesOptions) acknowledge(ctx context.Context, s stored, r change.Report) error {
	if !summary.IsDisplayID(o.ack) {
		return usageError{fmt.Errorf("--ack %s: without FILE it is the id of a job, 123 or 123_7", o.ack)}
	}
	db, err := history.Open(ctx, s.path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	found := 0
	for i, judged := range r.Series {
		runs := s.Stored[i].Runs
		for _, c := range judged.Result.Changes {
			if !s.chosen[i] || c.Index >= len(runs) || runs[c.Index].DisplayID != o.ack {
				continue
			}
			at := float64(time.Now().UnixNano()) / 1e9
			if err := db.Acknowledge(ctx, s.Stored[i].SeriesID, runs[c.Index].ID, userName(), "", at); err != nil {
				return err
			}
			found++
		}
	}
	if found == 0 {
		return fmt.Errorf("no change begins with job %s (jobgait changes names the jobs)", o.ack)
	}
	return nil
}

// forFiles refuses flags that choose among stored runs where files are given:
// whoever writes --site beside a file would take its text for that of the site.
func forFiles(cmd *cobra.Command) error {
	for _, name := range []string{"user", "app", "site", "metric", "history"} {
		if cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("--%s is for stored runs, and a file is given", name)}
		}
	}
	return nil
}
