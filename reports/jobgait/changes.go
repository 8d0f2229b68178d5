package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/history"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/table"
	"jobgait/reports/change"
	"jobgait/reports/earlier"
)

// regressed is the exit status of changes --check if a history became slower.
const regressed = status(3)

// changesOptions are the flags of changes.
type changesOptions struct {
	method, unit, plot, ack string
	minEffect, days         float64
	check, json, ascii      bool
	stored                  storedFlags
	columns                 table.Columns // of a FILE
}

// changesCommand returns the verb changes.
func changesCommand(getenv func(string) string) *cobra.Command {
	var o changesOptions
	c := &cobra.Command{
		Use:   "changes [FILE...]",
		Short: "find when runs became slower, by how much, and what changed then",
		Long: "changes finds where the level of run times changed. It analyses your stored\n" +
			"runs, those of --user or of the whole --site, or the numbers in FILE.\n\n" +
			"FILE is CSV with one run per row: a time (t, time, timestamp, date..), a value\n" +
			"(value, seconds, time_s, elapsed.., else every column of numbers) and further\n" +
			"columns as metadata. Each app, shape and benchmark, test or job name that\n" +
			"repeats is a series. FILE may also be JSON objects of one run each, lines of\n" +
			"JSON of one series each: {\"id\",\"t\",\"y\",\"start\",\"also\",\"meta\",\"nodes\"},\n" +
			"the JSON of hyperfine, github-action-benchmark,\n" +
			"pytest-benchmark, CodSpeed, Google Benchmark, JMH, asv or the Phoronix Test\n" +
			"Suite, the messages of cargo-criterion, Criterion's raw.csv or a log of LAMMPS.\n" +
			"A file compressed with gzip is unpacked; - is standard input.\n" +
			"Runs of one benchmark in several FILEs are one history. A time is a date with\n" +
			"or without a time of day and a zone, a day number, or epoch seconds, milli-,\n" +
			"micro- or nanoseconds. An empty field, null, NaN, N/A and <not counted> are\n" +
			"missing values. A line on standard error says how a file was interpreted.\n\n" +
			"Series of one user, shapes of one app and series with the same start times are\n" +
			"related. A change that unrelated series show at the same time is attributed to\n" +
			"the machine and is not reported for any job.\n\n" +
			"With --check the exit status is 3 if the newest level of a series is slower\n" +
			"than the one before by --min-effect percent or more and the change is not\n" +
			"acknowledged. --ack JOBID acknowledges the stored change that begins with that\n" +
			"job; for a FILE, --ack names a list of acknowledged changes.",
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
	f.StringVar(&o.method, "method", string(changepoint.Sequential),
		"use this method: sequential, or paper (the algorithms of the Albany Land-Ice report)")
	f.BoolVar(&o.check, "check", false,
		"exit with status 3 if the newest level of a series is slower and not acknowledged")
	f.Float64Var(&o.minEffect, "min-effect", 2, "report changes of at least this many percent")
	f.Float64Var(&o.days, "days", 0,
		"report only changes seen in the last N days: before now for stored runs, before the newest run of a FILE "+
			"(default: all)")
	f.StringVar(&o.ack, "ack", "",
		"acknowledge the stored change that begins with `JOBID`; with FILE: a list of acknowledged changes, CSV with id, "+
			"and index or t")
	f.StringVar(&o.plot, "plot", "", "also draw the histories into this SVG file")
	f.BoolVar(&o.ascii, "ascii", false, "print text without block characters")
	unitFlag(c, &o.unit)
	columnFlags(c.Flags(), &o.columns)
	c.Flags().StringVar(&o.columns.Parameter, "parameter", "",
		"make a series of each value of this column of FILE, such as nodes")
	o.stored.add(c)
	f.BoolVar(&o.json, "json", false, "print JSON")
	return c
}

// ofFiles looks for changes in the series of files.
func (o changesOptions) ofFiles(cmd *cobra.Command, paths []string) error {
	if err := rejectStoredFlags(cmd); err != nil {
		return err
	}
	if slices.Contains(paths, "-") && o.ack == "-" {
		return usageError{fmt.Errorf("FILE and --ack cannot both be -: name a file for one of them")}
	}
	hs, sayReading, err := readHistories(cmd, paths, o.unit, o.columns)
	if err != nil {
		return err
	}
	out, err := o.optionsWithAcks(cmd)
	if err != nil {
		return err
	}
	out.Years = change.NeedsYear(hs, now())
	progress, p := analysisProgress(cmd, len(hs))
	r := change.Analyse(hs, changepoint.Method(o.method), p, out)
	progress.done()
	err = o.print(cmd, r)
	if err == nil || errors.Is(err, regressed) {
		sayReading()
	}
	return err
}

// analysisProgress shows on a terminal how many of n series are analysed. The caller must run the analysis with
// the returned parameters.
func analysisProgress(cmd *cobra.Command, n int) (*progress, changepoint.Params) {
	p := changepoint.Default()
	p.Steps = new(atomic.Int64)
	return startProgressFunc(cmd.ErrOrStderr(), func() string {
		done := p.Steps.Load() * 100 / max(1, int64(n*changepoint.StepsPerSeries))
		return "analysing " + quantity.Plural(n, "series") + ": " + quantity.Chosen(float64(min(done, 99)))
	}), p
}

// unitFlag adds the flag --t-unit.
func unitFlag(c *cobra.Command, unit *string) {
	c.Flags().StringVar(unit, "t-unit", string(table.Auto),
		"read numeric times as day, or as s, ms, us or ns since 1970 (auto: by their size)")
}

// valid returns a usage error for invalid values of flags.
func (o changesOptions) valid() error {
	if m := changepoint.Method(o.method); m != changepoint.Sequential && m != changepoint.Paper {
		return usageError{fmt.Errorf("invalid --method %s: want sequential or paper", o.method)}
	}
	if !(o.minEffect >= 0) || math.IsInf(o.minEffect, 0) {
		return usageError{fmt.Errorf("invalid --min-effect %g: want 0 or more", o.minEffect)}
	}
	if !(o.days >= 0) || math.IsInf(o.days, 0) {
		return usageError{fmt.Errorf("invalid --days %g: want 0 or more", o.days)}
	}
	if err := o.stored.valid(); err != nil {
		return err
	}
	return validUnit(o.unit)
}

// validUnit returns a usage error for an unknown unit of time.
func validUnit(unit string) error {
	var names []string
	for _, u := range table.TimeUnits() {
		if string(u) == unit {
			return nil
		}
		names = append(names, string(u))
	}
	return usageError{fmt.Errorf("invalid --t-unit %s: want one of %s", unit, strings.Join(names, ", "))}
}

// readHistories reads files of histories. Benchmark tools write a file for each session: runs of one benchmark in
// several files are one history. sayReading prints how the files were interpreted; call it only on success, so
// that a failure prints one line, its error.
func readHistories(cmd *cobra.Command, paths []string, unit string, by table.Columns) (
	hs []change.History, sayReading func(), err error) {
	o := table.DefaultRuns("")
	o.Unit, o.Columns = table.TimeUnit(unit), by
	var sessions []table.Runs
	var readings []fileReading
	for _, path := range paths {
		inputs, reading, err := readRuns(cmd, path, o)
		if err != nil {
			return nil, nil, err
		}
		readings = append(readings, reading)
		if len(inputs) > 0 && inputs[0].OneSession {
			sessions = append(sessions, inputs...)
			continue
		}
		hs = append(hs, change.Of(inputs, filepath.Base(reading.name))...)
	}
	hs = append(hs, change.Of(table.JoinSessions(sessions), "")...)
	if len(hs) == 0 {
		return nil, nil, fmt.Errorf("%s: read: no file has a run: name files that hold results", strings.Join(paths, ", "))
	}
	return hs, func() { printReadings(cmd, readings) }, nil
}

// readRuns reads all series of one file, with progress on a terminal.
func readRuns(cmd *cobra.Command, path string, o table.RunOptions) ([]table.Runs, fileReading, error) {
	in, err := openInput(cmd, path)
	if err != nil {
		return nil, fileReading{}, err
	}
	defer func() { _ = in.Close() }()
	o.Name = in.Name
	read := &counted{r: in}
	progress := startProgressFunc(cmd.ErrOrStderr(), func() string {
		return fmt.Sprintf("reading %s: %d MB", in.Name, read.n.Load()>>20)
	})
	inputs, reading, err := table.ReadRuns(read, o)
	progress.done()
	return inputs, fileReading{in.Name, reading}, err
}

// options returns the report's options from the flags.
func (o changesOptions) options() change.Options {
	out := change.Default()
	out.MinEffectPct, out.Days, out.ASCII = o.minEffect, o.days, o.ascii
	return out
}

// optionsWithAcks returns the report's options with the acknowledged changes that the file of --ack lists.
func (o changesOptions) optionsWithAcks(cmd *cobra.Command) (change.Options, error) {
	out := o.options()
	if o.ack == "" {
		return out, nil
	}
	acks, err := readAcks(cmd, o.ack, table.TimeUnit(o.unit))
	out.Acks = acks
	return out, err
}

// print prints the changes that were found, as text or JSON, and draws the plot if one was requested. With
// --check it returns the error regressed if a series became slower.
func (o changesOptions) print(cmd *cobra.Command, r change.Report) error {
	if o.plot != "" {
		if err := writeFile(o.plot, func(w io.Writer) error { return change.Plot(w, r) }); err != nil {
			return err
		}
	}
	write := change.Text
	if o.json {
		write = change.JSON
	}
	if err := write(cmd.OutOrStdout(), r); err != nil {
		return err
	}
	if o.check && len(r.WorseHistories()) > 0 {
		return regressed
	}
	return nil
}

// readAcks reads a file of acknowledged changes.
func readAcks(cmd *cobra.Command, path string, u table.TimeUnit) (change.Acks, error) {
	in, err := openInput(cmd, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return change.ReadAcks(in, in.Name, u)
}

// ofStored looks for changes in stored runs and prints them, or with --ack acknowledges one. It also analyses other
// users' runs on the same machine, to find shifts that all runs show, but does not report them. It leaves out histories
// with fewer than minHistoryRuns values.
func (o changesOptions) ofStored(cmd *cobra.Command, getenv func(string) string) error {
	if o.ack != "" {
		if err := requireOneHistory(o.stored.history, "changes --ack"); err != nil {
			return err
		}
	}
	s, err := o.stored.read(cmd, getenv)
	if err != nil {
		return err
	}
	progress, p := analysisProgress(cmd, len(s.List))
	out := o.options()
	out.Now, out.Acks, out.Stored, out.Site = now(), earlier.Acknowledged(s.Histories), true, o.stored.site
	out.History, out.Whose = o.stored.history, s.whose
	r := change.Analyse(s.List, changepoint.Method(o.method), p, out)
	progress.done()
	if o.ack != "" {
		return o.acknowledge(cmd.Context(), s, r)
	}
	short := 0
	kept := r.Keep(func(i int) bool {
		if s.chosen[i] && s.List[i].Values() < minHistoryRuns {
			short++
			return false
		}
		return s.chosen[i]
	})
	if short > 0 && !o.json {
		of := quantity.Plural(minHistoryRuns, "run")
		if o.stored.metric != "" {
			of += " with " + o.stored.metric
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: not listed: %s of fewer than %s\n", quantity.Plural(short, "series"), of)
	}
	return o.print(cmd, kept)
}

// minHistoryRuns is the smallest number of runs at which a history is reported: without it lists of a site
// would be full of short histories.
const minHistoryRuns = 5

// acknowledge stores that each of the chosen series' changes that begin with the job of --ack is acknowledged by this
// user. It returns an error if no change begins with that job.
func (o changesOptions) acknowledge(ctx context.Context, s stored, r change.Report) error {
	if !run.IsDisplayID(o.ack) {
		return usageError{fmt.Errorf("invalid --ack %s: without FILE, want the id of a job, 123 or 123_7", o.ack)}
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

// rejectStoredFlags rejects flags that select stored runs if files are given: with --site beside a file, the
// output could be mistaken for that of the site.
func rejectStoredFlags(cmd *cobra.Command) error {
	for _, name := range []string{"user", "app", "site", "metric", "history"} {
		if cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("--%s is only for stored runs: leave it out, or leave out FILE", name)}
		}
	}
	return nil
}
