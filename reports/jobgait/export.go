package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jobgait/agent/profile/export"
	"jobgait/analysis/run"
	"jobgait/analysis/table"
	"jobgait/reports/job"
)

// measurementExport are the flags of export for Extra-P.
type measurementExport struct {
	style  string // text, json or jsonl
	series string // the id of the only series to write, "" for all
	from   storedFlags
}

// exportCommand returns the verb export.
func exportCommand(getenv func(string) string) *cobra.Command {
	var o measurementExport
	var whole profileExport
	var pprof bool
	c := &cobra.Command{
		Use:   "export [--csv PROFILE | --pprof JOBID | --extra-p FORM]",
		Short: "write a profile or measurements in the format of other tools",
		Long: "export reads stored runs or a FILE as scaling does, and writes measurements for\n" +
			"Extra-P: as text, JSON or JSON Lines. Extra-P requires the same points for all\n" +
			"series of a file; --series ID writes one series.\n\n" +
			"It can also write a PROFILE: every sample as CSV or, for one column, as\n" +
			"float32; with --cpu the code addresses in bins of equal CPU time. With --pprof\n" +
			"it writes the functions of a stored run for pprof, labelled with phase and bin,\n" +
			"the part of the cycle from 0 to 31: go tool pprof -top FILE. Columns that were\n" +
			"read less often than every ten steps are written only if --column names them:\n" +
			"their values between readings are interpolated linearly.",
		Args: argCount(0, 1, "at most one file: jobgait export --csv PROFILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if pprof {
				return pprofExport{history: o.from.history, output: whole.output}.write(cmd, getenv, args)
			}
			if form, yes := whole.requestedFormat(); yes {
				return whole.write(cmd, form, args)
			}
			return o.write(cmd, getenv, args)
		},
	}
	c.Flags().StringVar(&o.style, "extra-p", "", "write measurements for Extra-P: text, json or jsonl")
	whole.add(c.Flags())
	c.Flags().BoolVar(&pprof, "pprof", false, "write the functions of a stored run for pprof")
	o.from.add(c)
	c.Flags().StringVar(&o.series, "series", "", "write only the series with this id")
	c.MarkFlagsMutuallyExclusive("csv", "f32", "cpu", "extra-p", "pprof")
	c.MarkFlagsMutuallyExclusive("csv", "f32", "cpu", "history")
	for _, ofMany := range []string{"user", "app", "site", "metric", "series"} {
		c.MarkFlagsMutuallyExclusive("csv", "f32", "cpu", "pprof", ofMany)
	}
	c.MarkFlagsMutuallyExclusive("extra-p", "pprof", "column")
	c.MarkFlagsMutuallyExclusive("extra-p", "output")
	return c
}

// write writes the measurements of a file, or of stored runs if args names no file.
func (o measurementExport) write(cmd *cobra.Command, getenv func(string) string, args []string) error {
	format, ok := map[string]table.Format{"text": table.ExtraPText, "json": table.ExtraPJSON,
		"jsonl": table.ExtraPLines}[o.style]
	switch {
	case o.style == "":
		return usageError{fmt.Errorf("export needs a form: --csv, --f32 or --cpu of a profile, or --extra-p text, json or " +
			"jsonl")}
	case !ok:
		return usageError{fmt.Errorf("invalid --extra-p %q: want text, json or jsonl", o.style)}
	}
	if err := o.from.valid(); err != nil {
		return err
	}
	file, err := o.measurements(cmd, getenv, args)
	if err != nil {
		return err
	}
	if err := table.WriteExtraP(cmd.OutOrStdout(), format, file.Series); err != nil {
		if len(file.Series) > 1 {
			return fmt.Errorf("%w: write one of the %d series with --series ID", err, len(file.Series))
		}
		return err
	}
	return nil
}

// measurements reads the measurements of a file, or of stored runs.
func (o measurementExport) measurements(cmd *cobra.Command, getenv func(string) string,
	args []string) (table.Measurements, error) {
	if len(args) > 0 {
		file, err := readMeasurements(cmd, args[0], o.series, table.Columns{})
		if err == nil {
			printReading(cmd, args[0], file.Reading)
		}
		return file, err
	}
	s, err := o.from.read(cmd, getenv)
	if err != nil {
		return table.Measurements{}, err
	}
	file, err := scalingOptions{stored: o.from, series: o.series}.measurements(s)
	if err == nil && len(file.Series) == 0 {
		err = noModelError(s.whose)
	}
	return file, err
}

// pprofExport are the flags of export for pprof: the code of a stored run.
type pprofExport struct{ history, output string }

// write writes the code samples of the run that args names as a pprof profile, to the file of --output or to
// standard output.
func (o pprofExport) write(cmd *cobra.Command, getenv func(string) string, args []string) (failed error) {
	switch {
	case len(args) != 1:
		return usageError{errors.New("--pprof needs one job id: jobgait export --pprof 123 -o x.pb.gz")}
	case !run.IsDisplayID(args[0]):
		return jobIDError(args[0])
	case o.output == "" && isTerminal(cmd.OutOrStdout()):
		return usageError{errors.New("binary output is not written to a terminal: give --output FILE")}
	}
	from, err := openHistories(cmd.Context(), getenv, o.history)
	if err != nil {
		return err
	}
	defer from.closeAfter(&failed)
	s, _, err := from.run(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if o.output == "" {
		return job.Pprof(cmd.OutOrStdout(), s)
	}
	return writeFile(o.output, func(w io.Writer) error { return job.Pprof(w, s) })
}

// profileExport are the flags that write a profile for other programs.
type profileExport struct {
	csv, f32, cpu  bool
	column, output string
}

// add registers the flags of a profile export with f. Parsing the command line then sets o.
func (o *profileExport) add(f *pflag.FlagSet) {
	f.BoolVar(&o.csv, "csv", false, "write a profile as CSV, t_s,NAME.. (periods reads it)")
	f.BoolVar(&o.f32, "f32", false, "write one column of a profile as float32")
	f.BoolVar(&o.cpu, "cpu", false, "write the code of a profile in bins of equal CPU time as CSV, cpu_s,t_s,NAME..")
	f.StringVar(&o.column, "column", "", "write only this column, or group of columns, of a profile")
	f.StringVarP(&o.output, "output", "o", "",
		"write a profile, or what --pprof gives, to this file (default: standard output)")
}

// requestedFormat returns the requested format of a profile, and whether one was requested.
func (o *profileExport) requestedFormat() (format export.Format, yes bool) {
	for f, on := range map[export.Format]bool{export.CSV: o.csv, export.Float32: o.f32, export.CPU: o.cpu} {
		if on {
			return f, true
		}
	}
	return 0, false
}

// write exports the profile that args names.
func (o *profileExport) write(cmd *cobra.Command, format export.Format, args []string) error {
	switch {
	case len(args) != 1:
		return usageError{errors.New("export needs one profile: jobgait export --csv PROFILE")}
	case args[0] == "-":
		return usageError{errors.New("a profile is read twice, so standard input cannot be used: name a file")}
	case format == export.Float32 && o.column == "":
		return usageError{errors.New("--f32 writes only one column: name it with --column")}
	case format != export.CSV && format != export.CPU && o.output == "" && isTerminal(cmd.OutOrStdout()):
		return usageError{errors.New("binary output is not written to a terminal: give --output FILE")}
	}
	path := args[0]
	if o.wouldReplace(path) {
		return usageError{fmt.Errorf("--output %s is the profile itself: name another file", o.output)}
	}
	progress := startProgress(cmd.ErrOrStderr(), "exporting "+path)
	result, err := o.writeOutput(cmd.OutOrStdout(), path, export.ExportOptions{Format: format, Column: o.column})
	progress.done()
	if err != nil {
		return notAProfileError(path, fmt.Errorf("export %s: %w", path, err))
	}
	if text := result.Damage.Text; text != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: %s: %s\n", path, text)
	}
	if format == export.Float32 {
		fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: %s at %g samples a second (--rate %g)\n", o.column, result.RateHz,
			result.RateHz)
	}
	return nil
}

// writeOutput writes to the output file, which appears only when complete, or to out.
func (o *profileExport) writeOutput(out io.Writer, path string, options export.ExportOptions) (r export.Caveats,
	err error) {
	if o.output == "" {
		return export.Write(out, path, options)
	}
	err = writeFile(o.output, func(w io.Writer) error {
		r, err = export.Write(w, path, options)
		return err
	})
	return r, err
}

// wouldReplace reports whether the output would overwrite the profile itself.
func (o *profileExport) wouldReplace(path string) bool {
	a, err := os.Stat(path)
	b, berr := os.Stat(o.output)
	return err == nil && berr == nil && os.SameFile(a, b)
}
