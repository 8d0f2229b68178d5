package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/spf13/cobra"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/historyfile"
	"jobgait/reports/change"
)

// regressed is the exit status of --check for "found, and worse".
const regressed = status(3)

// changesOptions are the flags of changes.
type changesOptions struct {
	method, unit, plot, ack string
	minEffect, days         float64
	check, json, ascii      bool
	stored                  storedFlags
}

func changesCommand(getenv func(string) string) *cobra.Command {
	var o changesOptions
	c := &cobra.Command{
		Use:   "changes [FILE]",
		Short: "when did runs become slower, by how much, and what changed then",
		Long: "changes finds where the level of run times changed: of your stored runs, of\n" +
			"those of --user or of the whole --site, or of anybody's numbers in FILE.\n\n" +
			"FILE is CSV with a header, t,value and further columns as metadata, or lines of\n" +
			"JSON, one series each: {\"id\",\"t\",\"y\",\"start\",\"also\",\"meta\",\"nodes\"}. Either may\n" +
			"be packed with gzip; - is standard input. t is a day number, a date, RFC 3339,\n" +
			"or epoch seconds with --t-unit s. Nothing and null are missing values.\n\n" +
			"Series of one user, shapes of one app and series with the same starts are\n" +
			"related. What unrelated ones show at one time is the machine's, and is said of\n" +
			"no job.\n\n" +
			"With --check the exit status is 3 if the newest level of a series is slower than\n" +
			"the one before by --min-effect percent or more and nobody has acknowledged that:\n" +
			"--ack JOBID does so for the stored change that begins with that job; for a FILE\n" +
			"--ack names a list.",
		Args: wants(0, 1, "at most one file: jobgait changes [FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.valid(); err != nil {
				return err
			}
			if len(args) == 0 {
				return o.ofStored(cmd, getenv)
			}
			return o.ofFile(cmd, args[0])
		},
	}
	f := c.Flags()
	f.StringVar(&o.method, "method", string(changepoint.Sequential), "sequential, or paper: the algorithms of the Albany Land-Ice report")
	f.BoolVar(&o.check, "check", false, "exit with 3 if the newest level of a series is slower and not acknowledged")
	f.Float64Var(&o.minEffect, "min-effect", 2, "the smallest change, in percent, that is worth telling")
	f.Float64Var(&o.days, "days", 0, "only tell of changes seen in the last N days: before now for stored runs, before the newest run of a FILE (default: all)")
	f.StringVar(&o.ack, "ack", "", "acknowledge the stored change that begins with `JOBID`; with FILE: a list of acknowledged changes, CSV with id, and index or t")
	f.StringVar(&o.plot, "plot", "", "also draw the histories into this SVG file")
	f.BoolVar(&o.ascii, "ascii", false, "text without block characters")
	unitFlag(c, &o.unit)
	o.stored.add(c)
	f.BoolVar(&o.json, "json", false, "as JSON")
	return c
}

// ofFile looks for changes in anybody's numbers.
func (o changesOptions) ofFile(cmd *cobra.Command, path string) error {
	if err := forFiles(cmd); err != nil {
		return err
	}
	if path == "-" && o.ack == "-" {
		return usageError{fmt.Errorf("standard input is one file: FILE and --ack cannot both be -")}
	}
	hs, err := readHistories(cmd, path, historyfile.Unit(o.unit))
	if err != nil {
		return err
	}
	out, err := o.optionsWithAcks(cmd)
	if err != nil {
		return err
	}
	out.Years = change.Old(hs, now())
	progress := lookingAt(cmd, len(hs))
	r := change.Analyse(hs, changepoint.Method(o.method), changepoint.Default(), out)
	progress.done()
	return o.print(cmd, r)
}

// lookingAt shows on a terminal that series are being judged.
func lookingAt(cmd *cobra.Command, n int) *progress {
	return working(cmd.ErrOrStderr(), fmt.Sprintf("looking at %d series", n))
}

func unitFlag(c *cobra.Command, unit *string) {
	c.Flags().StringVar(unit, "t-unit", string(historyfile.Days), "a number as a time is a day, or s: epoch seconds")
}

// valid refuses flags that mean nothing.
func (o changesOptions) valid() error {
	if m := changepoint.Method(o.method); m != changepoint.Sequential && m != changepoint.Paper {
		return usageError{fmt.Errorf("--method %s: there are sequential and paper", o.method)}
	}
	if !(o.minEffect >= 0) || math.IsInf(o.minEffect, 0) {
		return usageError{fmt.Errorf("--min-effect %g: it must be 0 or more", o.minEffect)}
	}
	if !(o.days >= 0) || math.IsInf(o.days, 0) {
		return usageError{fmt.Errorf("--days %g: it must be 0 or more", o.days)}
	}
	if err := o.stored.valid(); err != nil {
		return err
	}
	return validUnit(o.unit)
}

func validUnit(unit string) error {
	if u := historyfile.Unit(unit); u != historyfile.Days && u != historyfile.Seconds {
		return usageError{fmt.Errorf("--t-unit %s: there are day and s", unit)}
	}
	return nil
}

// readHistories reads a file of histories.
func readHistories(cmd *cobra.Command, path string, u historyfile.Unit) ([]change.History, error) {
	in, err := openInput(cmd, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	o := historyfile.Default(in.Name)
	o.Unit = u
	inputs, err := historyfile.Read(in, o)
	if err != nil {
		return nil, err
	}
	return change.Of(inputs, filepath.Base(in.Name)), nil
}

// options is what is worth telling.
func (o changesOptions) options() change.Options {
	out := change.Default()
	out.MinEffectPct, out.Days, out.ASCII = o.minEffect, o.days, o.ascii
	return out
}

// optionsWithAcks is options, with the list of what is acknowledged.
func (o changesOptions) optionsWithAcks(cmd *cobra.Command) (change.Options, error) {
	out := o.options()
	if o.ack == "" {
		return out, nil
	}
	acks, err := readAcks(cmd, o.ack, historyfile.Unit(o.unit))
	out.Acks = acks
	return out, err
}

// print prints what was found, wherever the runs came from.
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
	if o.check && len(r.Worse()) > 0 {
		return regressed
	}
	return nil
}

func readAcks(cmd *cobra.Command, path string, u historyfile.Unit) (change.Acks, error) {
	in, err := openInput(cmd, path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return change.ReadAcks(in, in.Name, u)
}
