package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/history"
	"jobgait/reports/dashboard"
	"jobgait/reports/job"
)

// listOptions are the flags of list; the one-letter flags are those of sacct.
type listOptions struct {
	history, start, end           string
	noHeader, parsable, json, csv bool
	tasks                         bool
	query                         history.Query
}

// listCommand returns the verb list.
func listCommand(getenv func(string) string) *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use:   "list",
		Short: "list stored runs, newest first",
		Long: "list prints stored runs, newest first, one a line. Busy and Wait are the\n" +
			"numbers of CPUs that the run kept busy and that it waited for, Cycle is the\n" +
			"duration of one cycle, Finding the first finding of its report (jobgait help\n" +
			"report). An array or a heterogeneous job is one line, with its states, the\n" +
			"median elapsed time and the slowest part. TIME is a date, 2026-11-20T02:00,\n" +
			"02:00 of today, now or now-7days.",
		Args: argCount(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) (failed error) {
			if err := o.times(time.Now()); err != nil {
				return err
			}
			from, err := openHistories(cmd.Context(), getenv, o.history)
			if err != nil {
				return err
			}
			defer from.closeAfter(&failed)
			return o.list(cmd.Context(), from, cmd.OutOrStdout())
		},
	}
	historyFlag(c, &o.history)
	f := c.Flags()
	f.StringVarP(&o.query.User, "user", "u", "", "list only runs of this user")
	f.StringVarP(&o.query.Account, "account", "A", "", "list only runs of this account")
	f.StringVarP(&o.query.Partition, "partition", "r", "", "list only runs in this partition")
	f.StringVarP(&o.query.State, "state", "s", "", "list only runs that ended in this state, such as FAILED")
	f.StringVarP(&o.start, "starttime", "S", "", "list only runs that started at this `TIME` or later")
	f.StringVarP(&o.end, "endtime", "E", "", "list only runs that started before this `TIME`")
	f.StringVar(&o.query.App, "app", "", "list only runs of this application")
	f.IntVar(&o.query.Limit, "limit", 50, "list at most this many runs")
	f.BoolVar(&o.tasks, "tasks", false, "print one line for each task or component, as --json and --csv do")
	f.BoolVarP(&o.noHeader, "noheader", "n", false, "print no header line")
	f.BoolVarP(&o.parsable, "parsable", "p", false, "end each column with |")
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	f.BoolVar(&o.csv, "csv", false, "print CSV with the names of --json")
	c.MarkFlagsMutuallyExclusive("json", "csv", "parsable")
	return c
}

// times parses --starttime and --endtime, relative to now, into the limits of the query. It returns a usage error for
// an invalid time.
func (o *listOptions) times(now time.Time) error {
	for _, t := range []struct {
		flag, text string
		to         *float64
	}{{"--starttime", o.start, &o.query.Since}, {"--endtime", o.end, &o.query.Before}} {
		if t.text == "" {
			continue
		}
		at, err := timeOf(t.text, now)
		if err != nil {
			return usageError{fmt.Errorf("invalid %s %s: %w", t.flag, t.text, err)}
		}
		*t.to = float64(at.Unix())
	}
	return nil
}

var errTime = errors.New("want a time such as 2026-11-20, 2026-11-20T02:00, 02:00, now or now-7days")

// timeOf parses a time as sacct does, in the time zone of now: a date, a date and time, a time of today, now, today,
// midnight, or now-7days.
func timeOf(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return today.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute +
				time.Duration(t.Second())*time.Second), nil
		}
	}
	switch text {
	case "now":
		return now, nil
	case "today", "midnight":
		return today, nil
	}
	ago, ok := strings.CutPrefix(text, "now-")
	if !ok {
		return now, errTime
	}
	digits := strings.TrimRight(ago, "abcdefghijklmnopqrstuvwxyz")
	n, err := strconv.ParseUint(digits, 10, 16)
	unit, known := map[string]time.Duration{"": time.Second, "second": time.Second, "minute": time.Minute,
		"hour": time.Hour,
		"day":  24 * time.Hour, "week": 7 * 24 * time.Hour}[strings.TrimSuffix(ago[len(digits):], "s")]
	if err != nil || !known {
		return now, errTime
	}
	return now.Add(-time.Duration(n) * unit), nil
}

// columns returns the columns of --json and --csv.
func (listOptions) columns() []string {
	return []string{"job_id", "user", "app", "shape", "start", "elapsed_s", "period_s", "coverage", "report_dir",
		"job_name", "account",
		"partition", "state", "exit_code", "exit_signal", "ncpus", "busy_cpus", "waiting_cpus", "peak_mem_bytes", "step_s",
		"finding", "cluster", "finding_name"}
}

// row returns one run in these columns; an unknown value is nil.
func (r foundRun) row(finding string) []any {
	var code, signal any
	if e := r.Exit; e != nil {
		code, signal = e.Code, e.Signal
	}
	return []any{r.DisplayID, r.User, r.App, r.Shape, time.Unix(int64(r.Start), 0).UTC().Format(time.RFC3339), r.ElapsedS,
		orNil(r.PeriodS),
		orNil(r.Coverage), r.ReportDir, r.JobName, r.Account, r.Partition, r.FinalState(), code, signal, orNil(r.CPUs),
		orNil(r.BusyCPUs),
		orNil(r.WaitingCPUs), orNil(r.PeakMemBytes), orNil(r.StepS), finding, r.Cluster,
		dashboard.FindingName(finding)}
}

// orNil returns the value that v points to, or nil.
func orNil[T any](v *T) any {
	if v == nil {
		return nil
	}
	return *v
}

// finding returns the code of the run's first finding, "" for none and if the run cannot be read.
func (r foundRun) finding(ctx context.Context) string {
	s, _, err := r.db.Lookup(ctx, history.Ref{ID: r.DisplayID, Cluster: r.Cluster, Restart: &r.Restart, Sub: &r.Sub})
	if err != nil {
		return "" // the rest of the row is still correct
	}
	if found := job.New(s, nil, job.Options{}).Findings; len(found) > 0 {
		return found[0].Code
	}
	return ""
}

// list prints the runs that the flags select, as text, JSON or CSV. Text without --tasks has one line for all parts of
// an array or of a heterogeneous job; JSON and CSV have one record per run.
func (o listOptions) list(ctx context.Context, from openedHistories, out io.Writer) error {
	if !o.tasks && !o.json && !o.csv {
		return o.listArrays(ctx, from, out)
	}
	runs, err := from.runs(ctx, o.query)
	if err != nil {
		return err
	}
	table, all := [][]string{}, history.QueryResult{Columns: o.columns()}
	for _, r := range runs {
		finding := r.finding(ctx)
		table, all.Rows = append(table, r.cells(finding)), append(all.Rows, r.row(finding))
	}
	switch {
	case o.json:
		return printJSON(out, all)
	case o.csv:
		return printCSV(out, all, !o.noHeader)
	}
	return o.writeText(out, table, len(from.dbs) > 1)
}

// runsForRow is the number of runs that are read per row of a list in which arrays are rolled up.
const runsForRow = 40

// listArrays prints a text table with one row for each job, in which all parts of an array or a heterogeneous job share
// one row.
func (o listOptions) listArrays(ctx context.Context, from openedHistories, out io.Writer) error {
	q := o.query
	rows := cmp.Or(max(q.Limit, 0), history.DefaultLimit)
	q.Limit = rows * runsForRow
	runs, err := from.runs(ctx, q)
	if err != nil {
		return err
	}
	table, err := rollUpArrays(ctx, runs, rows)
	if err != nil {
		return err
	}
	return o.writeText(out, table, len(from.dbs) > 1)
}

// names returns the headers of the text table.
func (listOptions) names() []string {
	return []string{"Cluster", "JobID", "User", "State", "ExitCode", "Start", "Elapsed", "NCPUS", "Busy", "Wait", "MaxRSS",
		"Cycle", "Finding", "Application"}
}

// cells returns the run's row of the text table, its cluster first.
func (r foundRun) cells(finding string) []string {
	exit := "-"
	if e := r.Exit; e != nil {
		exit = fmt.Sprintf("%d:%d", e.Code, e.Signal)
	}
	figures := func(v *float64, format string, unit float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf(format, *v/unit)
	}
	cpus := "-"
	if r.CPUs != nil {
		cpus = strconv.Itoa(*r.CPUs)
	}
	return []string{r.Cluster, r.DisplayID, r.User, cmp.Or(r.FinalState(), "-"), exit,
		time.Unix(int64(r.Start), 0).Format("2006-01-02T15:04:05"), elapsedText(r.ElapsedS),
		cpus, figures(r.BusyCPUs, "%.2f", 1), figures(r.WaitingCPUs, "%.2f", 1), figures(r.PeakMemBytes, "%.0fMB", 1e6),
		figures(cmp.Or(r.StepS, r.PeriodS), "%.4gs", 1), cmp.Or(finding, "-"), cmp.Or(r.App, "-")}
}

// elapsedText prints seconds as sacct's Elapsed: [days-]hours:minutes:seconds; below a minute with hundredths, because
// many runs of a command last less than a second.
func elapsedText(s float64) string {
	seconds := int64(s)
	if s >= 0 && s < 59.995 {
		return fmt.Sprintf("00:00:%05.2f", s)
	}
	elapsed := fmt.Sprintf("%02d:%02d:%02d", seconds/3600%24, seconds/60%60, seconds%60)
	if days := seconds / 86400; days > 0 {
		elapsed = fmt.Sprintf("%d-%s", days, elapsed)
	}
	return elapsed
}

// writeText prints the rows as a text table, or with --parsable as lines with | after each column. It prints the column
// Cluster only if clusters is set.
func (o listOptions) writeText(out io.Writer, rows [][]string, clusters bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if !o.noHeader {
		rows = slices.Insert(rows, 0, o.names())
	}
	for _, cells := range rows {
		if !clusters { // job ids of several need it
			cells = cells[1:]
		}
		if !o.parsable {
			fmt.Fprintln(w, strings.Join(cells, "\t"))
			continue
		}
		for i := range cells {
			cells[i] = strings.ReplaceAll(cells[i], "|", "?")
		}
		fmt.Fprintln(out, strings.Join(cells, "|")+"|")
	}
	return w.Flush()
}
