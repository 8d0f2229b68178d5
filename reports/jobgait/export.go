package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"jobgait/analysis/scaling/experimentfile"
)

// measurementExport is what export writes for Extra-P.
type measurementExport struct {
	style  string // text, json or jsonl
	series string // the id of the only one, or ""
	from   storedFlags
}

func exportCommand(getenv func(string) string) *cobra.Command {
	var o measurementExport
	var whole profileExport
	var pprof bool
	c := &cobra.Command{
		Use:   "export [--csv PROFILE | --pprof JOBID | --extra-p FORM]",
		Short: "write a profile, or measurements, in a form of other tools",
		Long: "export reads what scaling reads, stored runs or a FILE, and writes measurements\n" +
			"for Extra-P: as text, JSON or JSON Lines. Extra-P wants the same points of all\n" +
			"series in one file; --series ID writes one.\n\n" +
			"Or it writes a PROFILE: every sample as CSV, Parquet or, of one column, float32;\n" +
			"with --cpu its code addresses in bins of equal CPU time.\n" +
			"With --pprof it writes the functions of a stored run for pprof, labelled with\n" +
			"phase and bin, the part of the cycle from 0 to 31: go tool pprof -top FILE.\n" +
			"Columns that were read less often than every ten steps are written only where\n" +
			"--column names them: in between they are straight lines.",
		Args: wants(0, 1, "at most one file: jobgait export --csv PROFILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if pprof {
				return pprofExport{history: o.from.history, output: whole.output}.write(cmd, getenv, args)
			}
			if form, yes := whole.asked(); yes {
				return whole.write(cmd, form, args)
			}
			return o.write(cmd, getenv, args)
		},
	}
	c.Flags().StringVar(&o.style, "extra-p", "", "write what Extra-P reads: text, json or jsonl")
	whole.add(c.Flags())
	c.Flags().BoolVar(&pprof, "pprof", false, "write the functions of a stored run for pprof")
	o.from.add(c)
	c.Flags().StringVar(&o.series, "series", "", "only the series of this id")
	c.MarkFlagsMutuallyExclusive("csv", "parquet", "f32", "cpu", "extra-p", "pprof")
	c.MarkFlagsMutuallyExclusive("csv", "parquet", "f32", "cpu", "history")
	for _, ofMany := range []string{"user", "app", "site", "metric", "series"} {
		c.MarkFlagsMutuallyExclusive("csv", "parquet", "f32", "cpu", "pprof", ofMany)
	}
	c.MarkFlagsMutuallyExclusive("extra-p", "pprof", "column")
	c.MarkFlagsMutuallyExclusive("extra-p", "output")
	return c
}

// write writes the measurements of a file, or of stored runs where none is named.
func (o measurementExport) write(cmd *cobra.Command, getenv func(string) string, args []string) error {
	format, ok := map[string]experimentfile.Format{"text": experimentfile.Text, "json": experimentfile.JSON, "jsonl": experimentfile.JSONLines}[o.style]
	switch {
	case o.style == "":
		return usageError{fmt.Errorf("export wants a form: --csv, --parquet, --f32 or --cpu of a profile, or --extra-p text, json or jsonl")}
	case !ok:
		return usageError{fmt.Errorf("--extra-p %q is none of text, json, jsonl", o.style)}
	}
	if err := o.from.valid(); err != nil {
		return err
	}
	file, err := o.measurements(cmd, getenv, args)
	if err != nil {
		return err
	}
	if err := experimentfile.WriteExtraP(cmd.OutOrStdout(), format, file.Series); err != nil {
		if len(file.Series) > 1 {
			return fmt.Errorf("%w (--series ID writes one of %d)", err, len(file.Series))
		}
		return err
	}
	return nil
}

func (o measurementExport) measurements(cmd *cobra.Command, getenv func(string) string, args []string) (experimentfile.File, error) {
	if len(args) > 0 {
		return readMeasurements(cmd, args[0], o.series)
	}
	s, err := o.from.read(cmd, getenv)
	if err != nil {
		return experimentfile.File{}, err
	}
	file, err := scalingOptions{stored: o.from, series: o.series}.measurements(s)
	if err == nil && len(file.Series) == 0 {
		err = fmt.Errorf("runs of %s: no application was run at two sizes with all else equal", s.whose)
	}
	return file, err
}
