package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/history"
	"jobgait/reports/change"
)

func listCommand(getenv func(string) string) *cobra.Command {
	var path, user, app string
	var limit int
	var asJSON bool
	c := &cobra.Command{
		Use:   "list",
		Short: "list stored runs, newest first",
		Args:  exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			db, _, err := openHistory(cmd.Context(), getenv, path)
			if err != nil {
				return err
			}
			defer func() { _ = db.Close() }()
			return list(cmd.Context(), db, history.Query{User: user, App: app, Limit: limit}, asJSON, cmd.OutOrStdout())
		},
	}
	historyFlag(c, &path)
	c.Flags().StringVarP(&user, "user", "u", "", "only runs of this user")
	c.Flags().StringVar(&app, "app", "", "only runs of this application")
	c.Flags().IntVarP(&limit, "limit", "n", 50, "at most so many")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON object a line")
	return c
}

// listed is one run in `list --json`; unknown is null.
type listed struct {
	JobID    string   `json:"job_id"`
	User     string   `json:"user"`
	App      string   `json:"app"`
	Shape    string   `json:"shape"`
	Start    string   `json:"start"`
	ElapsedS float64  `json:"elapsed_s"`
	PeriodS  *float64 `json:"period_s"`
	Coverage *float64 `json:"coverage"`
	Report   string   `json:"report_dir"`
}

func list(ctx context.Context, db *history.DB, q history.Query, asJSON bool, out io.Writer) error {
	runs, err := db.Runs(ctx, q)
	if err != nil {
		return err
	}
	if asJSON {
		enc := json.NewEncoder(out)
		for _, r := range runs {
			start := time.Unix(int64(r.Start), 0).UTC().Format(time.RFC3339)
			if err := enc.Encode(listed{r.DisplayID, r.User, r.App, r.Shape, start, r.ElapsedS, r.PeriodS, r.Coverage, r.ReportDir}); err != nil {
				return fmt.Errorf("list: %w", err)
			}
		}
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "JobID\tUser\tStart\tElapsed_s\tPeriod_s\tShape\tApplication")
	for _, r := range runs {
		period := "-"
		if r.PeriodS != nil {
			period = fmt.Sprintf("%.4g", *r.PeriodS)
		}
		start := time.Unix(int64(r.Start), 0).Format("2006-01-02T15:04:05")
		fmt.Fprintf(w, "%s\t%s\t%s\t%.1f\t%s\t%s\t%s\n", r.DisplayID, r.User, start, r.ElapsedS, period, change.ShapeName(r.Shape), r.App)
	}
	return w.Flush()
}
