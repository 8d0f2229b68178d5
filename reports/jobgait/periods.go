package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"

	"github.com/spf13/cobra"

	"jobgait/agent/profile"
	"jobgait/analysis/note"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
	"jobgait/analysis/run"
	"jobgait/analysis/series"
	"jobgait/analysis/table"
	"jobgait/reports/periods"
)

// periodsOptions are the flags of `jobgait periods`.
type periodsOptions struct {
	method, plot string
	columns      table.Columns // Value may name a group of columns
	rate         float64
	json, ascii  bool
}

// periodsCommand returns the verb periods.
func periodsCommand() *cobra.Command {
	var o periodsOptions
	c := &cobra.Command{
		Use:   "periods FILE",
		Short: "find the periods of a file of samples (CSV, float32, a profile)",
		Long: "periods finds the duration of one cycle in a file of samples, shows the shape\n" +
			"of the cycle, and whether cycles became slower. FILE is CSV with a column of\n" +
			"times (t_s, time, timestamp, date.., or the first column that grows) and\n" +
			"columns of numbers, little-endian float32 (NaN = missing; requires --rate), or\n" +
			"a profile. A file compressed with gzip is unpacked; - is standard input. A line\n" +
			"on standard error says how a CSV file was interpreted.",
		Args: argCount(1, 1, "one file: jobgait periods FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return printPeriods(cmd, o, args[0]) },
	}
	f := c.Flags()
	f.StringVar(&o.method, "method", "track", "use this method: track, or paper (Phase-TA as published)")
	f.StringVar(&o.columns.Value, "column", "", "analyse only this column, or group of columns")
	f.StringVar(&o.columns.Time, "time", "", "take the times from this column of a CSV file")
	f.Float64Var(&o.rate, "rate", 0, "set the number of samples per second (default: 1 / median step)")
	f.BoolVar(&o.json, "json", false, "print JSON (jobgait.periods/1)")
	f.StringVar(&o.plot, "plot", "", "draw an SVG picture into this file")
	f.BoolVar(&o.ascii, "ascii", false, "print text without block characters")
	return c
}

// check returns a usage error for invalid values of flags.
func (o periodsOptions) check() error {
	switch {
	case o.method != "track" && o.method != "paper":
		return usageError{fmt.Errorf("invalid --method %q: want track or paper", o.method)}
	case o.rate < 0 || math.IsNaN(o.rate) || math.IsInf(o.rate, 0):
		return usageError{fmt.Errorf("invalid --rate %v: want a number of samples per second above 0", o.rate)}
	}
	return nil
}

// printPeriods finds the periods of a file and prints them.
func printPeriods(cmd *cobra.Command, o periodsOptions, path string) error {
	if err := o.check(); err != nil {
		return err
	}
	progress := startProgress(cmd.ErrOrStderr(), "looking for periods in "+path)
	report, reading, err := o.find(cmd, path)
	progress.done()
	if err != nil {
		return err
	}
	printReading(cmd, path, reading)
	if o.plot != "" {
		if err := writeFile(o.plot, report.SVG); err != nil {
			return err
		}
	}
	if o.json {
		return report.JSON(cmd.OutOrStdout())
	}
	return report.Text(cmd.OutOrStdout(), o.ascii)
}

// gcPercent is the growth of the heap in percent that triggers a garbage collection. Nearly all memory is
// samples, which contain no pointers: at 20 instead of 100, a day of float32 needs 120 MB instead of 170, in
// the same time.
const gcPercent = 20

// find reads the file and detects periods in it.
func (o periodsOptions) find(cmd *cobra.Command, path string) (periods.Detection, table.Reading, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	in, err := openInput(cmd, path)
	if err != nil {
		return periods.Detection{}, table.Reading{}, err
	}
	defer func() { _ = in.Close() }()
	t, par, err := o.read(in, path)
	if err != nil {
		return periods.Detection{}, table.Reading{}, err
	}
	report := periods.Input{Name: in.Name, Set: t.Set, Offsets: t.Offsets, Method: o.method, Notes: t.Notes}
	if t.Set.StepS > 0 {
		err = o.detect(&report, par)
	}
	if err != nil {
		return periods.Detection{}, table.Reading{}, fmt.Errorf("%s: analyse the samples: %w", in.Name, err)
	}
	return periods.New(report), t.Reading, nil
}

// detect detects periods by the chosen method and sets the result in in; par are the parameters of the method track.
func (o periodsOptions) detect(in *periods.Input, par periodicity.Params) error {
	if o.method == "paper" {
		found, err := periodicity.DetectPaper(in.Set)
		in.Result, in.Shapes = found.Result, found.Shapes
		return err
	}
	var err error
	in.Result, err = periodicity.Detect(in.Set, par)
	return err
}

// read reads a profile or a table of numbers, and returns the parameters for detecting periods in it.
func (o periodsOptions) read(in *input, path string) (t table.Samples, par periodicity.Params, err error) {
	par = periodicity.Default()
	if head, _ := in.Peek(16); !profile.IsProfile(head) {
		options := table.SampleOptions{Name: in.Name, Columns: o.columns, RateHz: o.rate, Size: sizeOf(path)}
		t, err = table.ReadSamples(in.Reader, options)
		t = countersAsRates(t)
		if errors.Is(err, table.ErrNoRate) {
			err = usageError{fmt.Errorf("%s is neither CSV nor a profile; float32 samples carry no times: give their rate "+
				"with --rate HZ", in.Name)}
		}
		return t, par, err
	}
	if o.rate > 0 {
		return t, par, usageError{fmt.Errorf(
			"%s is a profile and has a rate of its own: leave out --rate, which is for CSV and float32",
			in.Name)}
	}
	l, err := readProfile(in, path)
	if err != nil {
		return t, par, err
	}
	t.Set, t.Notes = l.Set, l.Header.Notes
	par.CPUWaitS = run.CPUWaitS(l.Totals)
	for _, c := range l.Header.Columns {
		par.NodeScope = par.NodeScope || c.Scope == "node" // it was recorded only because the node was the job's own
	}
	if o.columns.Value == "" {
		return t, par, nil
	}
	t.Set.Columns, t.Set.Also = nil, nil
	for _, c := range l.Set.Columns {
		if c.Name == o.columns.Value || c.Group == o.columns.Value {
			t.Set.Columns = append(t.Set.Columns, c)
			par.NodeScope = par.NodeScope || c.Scope == series.NodeScope
		}
	}
	if len(t.Set.Columns) == 0 {
		return t, par, fmt.Errorf("%s: the input has no column %q: name another with --column", in.Name, o.columns.Value)
	}
	return t, par, nil
}

// countersAsRates replaces cumulative counters among the columns of a file by their rates per second, with a
// note. It replaces them in place.
func countersAsRates(t table.Samples) table.Samples {
	for i, c := range t.Set.Columns {
		rates, wraps, ok := series.Rates(c.Values)
		if !ok || !(t.Set.StepS > 0) {
			continue
		}
		for k := range rates {
			rates[k] /= float32(t.Set.StepS)
		}
		t.Set.Columns[i].Values = rates
		t.Notes = append(t.Notes, note.New(note.CounterRates,
			"%s is a cumulative counter with %s: its rate per second is analysed", c.Name, quantity.Plural(wraps, "wrap")))
	}
	return t
}

// readProfile reads a profile: from its file in little memory, or as a stream where it is packed or comes from
// standard input. If a part of it is damaged, its header has a note on that.
func readProfile(in *input, path string) (profile.LoadedProfile, error) {
	l, err := profile.LoadedProfile{}, profile.ErrNoHeader
	if path != "-" {
		l, err = profile.Load(path)
	}
	if errors.Is(err, profile.ErrNoHeader) {
		if l, err = profile.LoadStream(in.Reader); err != nil {
			err = fmt.Errorf("%s: read the profile: %w", in.Name, err)
		}
	}
	if l.Damage.Text != "" {
		l.Header.Notes = append(l.Header.Notes, note.New(note.ProfileBad, "%s", l.Damage.Text))
	}
	return l, err
}

// sizeOf returns the size of a regular file in bytes, 0 for anything else. A gzipped file expands to more; that
// costs memory but is no error.
func sizeOf(path string) int64 {
	if path == "-" {
		return 0
	}
	st, err := os.Stat(path)
	if err != nil || !st.Mode().IsRegular() {
		return 0
	}
	return st.Size()
}
