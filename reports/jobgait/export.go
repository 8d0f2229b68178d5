package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"jobgait/analysis/scaling/formats"
)

func exportCommand(getenv func(string) string) *cobra.Command {
	var style, series string
	var from storedFlags
	var whole profileExport
	c := &cobra.Command{
		Use:   "export --csv|--parquet|--f32 PROFILE | --extra-p FORM [FILE]",
		Short: "write a profile, or measurements, in a form that other tools read",
		Long: "export reads what scaling reads, stored runs or a FILE, and writes measurements\n" +
			"for Extra-P: as text, JSON or JSON Lines. Extra-P wants the same points of all\n" +
			"series in one file; --series ID writes one.\n\n" +
			"Or it writes a PROFILE: every sample as CSV, Parquet or, of one column, float32.\n" +
			"Columns that were read less often than every ten steps are written only where\n" +
			"--column names them: in between they are straight lines.",
		Args: atMost(1, "at most one file: jobgait export --csv PROFILE"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if form, yes, err := whole.asked(style); err != nil {
				return err
			} else if yes {
				return whole.write(cmd, form, args)
			}
			return exportMeasurements(cmd, getenv, from, args, style, series)
		},
	}
	c.Flags().StringVar(&style, "extra-p", "", "write what Extra-P reads: text, json or jsonl")
	whole.add(c.Flags())
	from.add(c)
	c.Flags().StringVar(&series, "series", "", "only the series of this id")
	return c
}

// exportMeasurements writes measurements for Extra-P.
func exportMeasurements(cmd *cobra.Command, getenv func(string) string, from storedFlags, args []string, style, series string) error {
	format, ok := map[string]formats.Format{"text": formats.Text, "json": formats.JSON, "jsonl": formats.JSONLines}[style]
	switch {
	case style == "":
		return usageError{fmt.Errorf("export wants a form: --csv, --parquet or --f32 of a profile, or --extra-p text, json or jsonl")}
	case !ok:
		return usageError{fmt.Errorf("--extra-p %q is none of text, json, jsonl", style)}
	}
	if err := from.valid(); err != nil {
		return err
	}
	file, err := measurements(cmd, getenv, from, args, series)
	if err != nil {
		return err
	}
	if err := formats.WriteExtraP(cmd.OutOrStdout(), format, file.Series); err != nil {
		if len(file.Series) > 1 {
			return fmt.Errorf("%w (--series ID writes one of %d)", err, len(file.Series))
		}
		return err
	}
	return nil
}

// measurements are those of a file, or of stored runs where none is named.
func measurements(cmd *cobra.Command, getenv func(string) string, from storedFlags, args []string, series string) (formats.File, error) {
	if len(args) > 0 {
		return readMeasurements(cmd, args[0], series)
	}
	s, err := from.read(cmd, getenv)
	if err != nil {
		return formats.File{}, err
	}
	file, err := scalingOptions{stored: from, series: series}.measurements(s)
	if err == nil && len(file.Series) == 0 {
		err = fmt.Errorf("%s: no application was run at two sizes with all else equal", s.whose)
	}
	return file, err
}
