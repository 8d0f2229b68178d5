package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/history"
	"jobgait/reports"
)

// listOptions are the flags of list; those of one letter are sacct's.
type listOptions struct {
	history, start, end           string
	noHeader, parsable, json, csv bool
	query                         history.Query
}

func listCommand(getenv func(string) string) *cobra.Command {
	var o listOptions
	c := &cobra.Command{
		Use:   "list",
		Short: "list stored runs, newest first",
		Long: "list prints stored runs, newest first, one a line. Busy and Wait are CPUs that\n" +
			"the run kept busy and that it waited for, Cycle is the time of one, Finding the\n" +
			"first thing that its report tells of it (jobgait help report). TIME is a date,\n" +
			"2026-11-20T02:00, 02:00 of today, now or now-7days.",
		Args: exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.times(time.Now()); err != nil {
				return err
			}
			from, err := openHistories(cmd.Context(), getenv, o.history)
			if err != nil {
				return err
			}
			defer func() { _ = from.Close() }()
			return o.list(cmd.Context(), from, cmd.OutOrStdout())
		},
	}
	historyFlag(c, &o.history)
	f := c.Flags()
	f.StringVarP(&o.query.User, "user", "u", "", "only runs of this user")
	f.StringVarP(&o.query.Account, "account", "A", "", "only runs of this account")
	f.StringVarP(&o.query.Partition, "partition", "r", "", "only runs in this partition")
	f.StringVarP(&o.query.State, "state", "s", "", "only runs that ended in this state, such as FAILED")
	f.StringVarP(&o.start, "starttime", "S", "", "only runs that started at this `TIME` or later")
	f.StringVarP(&o.end, "endtime", "E", "", "only runs that started before this `TIME`")
	f.StringVar(&o.query.App, "app", "", "only runs of this application")
	f.IntVar(&o.query.Limit, "limit", 50, "at most so many")
	f.BoolVarP(&o.noHeader, "noheader", "n", false, "no line of names")
	f.BoolVarP(&o.parsable, "parsable", "p", false, "columns end with |")
	f.BoolVar(&o.json, "json", false, "one JSON object a line")
	f.BoolVar(&o.csv, "csv", false, "as CSV, with the names of --json")
	return c
}

// times reads the flags that are times, and refuses two forms at once.
func (o *listOptions) times(now time.Time) error {
	forms := 0
	for _, form := range []bool{o.json, o.csv, o.parsable} {
		if form {
			forms++
		}
	}
	if forms > 1 {
		return usageError{errors.New("--json, --csv and --parsable are forms: give one of them")}
	}
	for _, t := range []struct {
		flag, text string
		to         *float64
	}{{"--starttime", o.start, &o.query.Since}, {"--endtime", o.end, &o.query.Before}} {
		if t.text == "" {
			continue
		}
		at, err := timeOf(t.text, now)
		if err != nil {
			return usageError{fmt.Errorf("%s %s: %w", t.flag, t.text, err)}
		}
		*t.to = float64(at.Unix())
	}
	return nil
}

var errTime = errors.New("give 2026-11-20, 2026-11-20T02:00, 02:00, now or now-7days")

// timeOf reads a time as sacct takes it, in the zone of now.
func timeOf(text string, now time.Time) (time.Time, error) {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02", time.RFC3339} {
		if t, err := time.ParseInLocation(layout, text, now.Location()); err == nil {
			return t, nil
		}
	}
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	for _, layout := range []string{"15:04:05", "15:04"} {
		if t, err := time.Parse(layout, text); err == nil {
			return today.Add(time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute + time.Duration(t.Second())*time.Second), nil
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
	unit, known := map[string]time.Duration{"": time.Second, "second": time.Second, "minute": time.Minute, "hour": time.Hour,
		"day": 24 * time.Hour, "week": 7 * 24 * time.Hour}[strings.TrimSuffix(ago[len(digits):], "s")]
	if err != nil || !known {
		return now, errTime
	}
	return now.Add(-time.Duration(n) * unit), nil
}

// listed is one run in `list --json`; unknown is null.
type listed struct {
	JobID     string   `json:"job_id"`
	User      string   `json:"user"`
	App       string   `json:"app"`
	Shape     string   `json:"shape"`
	Start     string   `json:"start"`
	ElapsedS  float64  `json:"elapsed_s"`
	PeriodS   *float64 `json:"period_s"`
	Coverage  *float64 `json:"coverage"`
	Report    string   `json:"report_dir"`
	JobName   string   `json:"job_name"`
	Account   string   `json:"account"`
	Partition string   `json:"partition"`
	State     string   `json:"state"`
	ExitCode  *int     `json:"exit_code"`
	Signal    *int     `json:"exit_signal"`
	NCPUs     *int     `json:"ncpus"`
	Busy      *float64 `json:"busy_cpus"`
	Waiting   *float64 `json:"waiting_cpus"`
	PeakBytes *float64 `json:"peak_mem_bytes"`
	StepS     *float64 `json:"step_s"`
	// Finding is the code of the first finding, "" for none.
	Finding string `json:"finding"`
	Cluster string `json:"cluster"`
}

func listedOf(ctx context.Context, r foundRun) listed {
	l := listed{JobID: r.DisplayID, User: r.User, App: r.App, Shape: r.Shape, Start: time.Unix(int64(r.Start), 0).UTC().Format(time.RFC3339),
		ElapsedS: r.ElapsedS, PeriodS: r.PeriodS, Coverage: r.Coverage, Report: r.ReportDir, JobName: r.JobName, Account: r.Account,
		Partition: r.Partition, State: r.State, NCPUs: r.CPUs, Busy: r.BusyCPUs, Waiting: r.WaitingCPUs, PeakBytes: r.PeakMemBytes, StepS: r.StepS, Cluster: r.Cluster}
	if e := r.Exit; e != nil {
		l.ExitCode, l.Signal = &e.Code, &e.Signal
	}
	s, _, err := r.db.Lookup(ctx, history.Ref{ID: r.DisplayID, Cluster: r.Cluster, Restart: &r.Restart, Sub: &r.Sub})
	if err != nil {
		return l // the row is still true
	}
	if found := reports.New(s, nil, reports.Options{}).Findings; len(found) > 0 {
		l.Finding = found[0].Code
	}
	return l
}

func (o listOptions) list(ctx context.Context, from joined, out io.Writer) error {
	runs, err := from.runs(ctx, o.query)
	if err != nil {
		return err
	}
	var rows []listed
	for _, r := range runs {
		rows = append(rows, listedOf(ctx, r))
	}
	switch {
	case o.json:
		enc := json.NewEncoder(out)
		for _, r := range rows {
			if err := enc.Encode(r); err != nil {
				return fmt.Errorf("list: %w", err)
			}
		}
		return nil
	case o.csv:
		return o.writeCSV(out, rows)
	}
	return o.writeText(out, rows, len(from.dbs) > 1)
}

// names are the columns of the text.
func (listOptions) names() []string {
	return []string{"JobID", "User", "State", "ExitCode", "Start", "Elapsed", "NCPUS", "Busy", "Wait", "MaxRSS", "Cycle", "Finding", "Application"}
}

func (l listed) cells() []string {
	start := l.Start
	if t, err := time.Parse(time.RFC3339, l.Start); err == nil {
		start = t.Local().Format("2006-01-02T15:04:05")
	}
	exit := "-"
	if l.ExitCode != nil && l.Signal != nil {
		exit = fmt.Sprintf("%d:%d", *l.ExitCode, *l.Signal)
	}
	figures := func(v *float64, format string, unit float64) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf(format, *v/unit)
	}
	cpus := "-"
	if l.NCPUs != nil {
		cpus = strconv.Itoa(*l.NCPUs)
	}
	seconds := int64(l.ElapsedS)
	elapsed := fmt.Sprintf("%02d:%02d:%02d", seconds/3600%24, seconds/60%60, seconds%60)
	if days := seconds / 86400; days > 0 {
		elapsed = fmt.Sprintf("%d-%s", days, elapsed)
	}
	return []string{l.JobID, l.User, cmp.Or(l.State, "-"), exit, start, elapsed, cpus, figures(l.Busy, "%.2f", 1), figures(l.Waiting, "%.2f", 1),
		figures(l.PeakBytes, "%.0fM", 1<<20), figures(cmp.Or(l.StepS, l.PeriodS), "%.4gs", 1), cmp.Or(l.Finding, "-"), cmp.Or(l.App, "-")}
}

func (o listOptions) writeText(out io.Writer, rows []listed, clusters bool) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	line := func(cells []string) {
		if o.parsable {
			for i := range cells {
				cells[i] = strings.ReplaceAll(cells[i], "|", "?")
			}
			fmt.Fprintln(out, strings.Join(cells, "|")+"|")
			return
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	of := func(cells []string, cluster string) []string { // job ids of several clusters need it
		if clusters {
			return append([]string{cluster}, cells...)
		}
		return cells
	}
	if !o.noHeader {
		line(of(o.names(), "Cluster"))
	}
	for _, r := range rows {
		line(of(r.cells(), r.Cluster))
	}
	return w.Flush()
}

// writeCSV writes the fields of --json; unknown is empty.
func (o listOptions) writeCSV(out io.Writer, rows []listed) error {
	w := csv.NewWriter(out)
	if !o.noHeader {
		_ = w.Write([]string{"job_id", "user", "app", "shape", "start", "elapsed_s", "period_s", "coverage", "report_dir", "job_name", "account",
			"partition", "state", "exit_code", "exit_signal", "ncpus", "busy_cpus", "waiting_cpus", "peak_mem_bytes", "step_s", "finding", "cluster"})
	}
	float := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	count := func(v *int) string {
		if v == nil {
			return ""
		}
		return strconv.Itoa(*v)
	}
	for _, r := range rows {
		_ = w.Write([]string{r.JobID, r.User, r.App, r.Shape, r.Start, float(&r.ElapsedS), float(r.PeriodS), float(r.Coverage), r.Report, r.JobName,
			r.Account, r.Partition, r.State, count(r.ExitCode), count(r.Signal), count(r.NCPUs), float(r.Busy), float(r.Waiting), float(r.PeakBytes),
			float(r.StepS), r.Finding, r.Cluster})
	}
	w.Flush()
	return w.Error() // of all writes
}
