package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jobgait/agent/profile/export"
)

// profileExport are the flags that write a profile for other programs.
type profileExport struct {
	csv, parquet, f32, cpu bool
	column, output         string
}

func (o *profileExport) add(f *pflag.FlagSet) {
	f.BoolVar(&o.csv, "csv", false, "write a profile as CSV, t_s,NAME.. (periods reads it)")
	f.BoolVar(&o.parquet, "parquet", false, "write a profile as Parquet")
	f.BoolVar(&o.f32, "f32", false, "write one column of a profile as float32")
	f.BoolVar(&o.cpu, "cpu", false, "write the code of a profile in bins of equal CPU time as CSV, cpu_s,t_s,NAME..")
	f.StringVar(&o.column, "column", "", "of a profile: this column, or group of columns")
	f.StringVarP(&o.output, "output", "o", "", "of a profile, or with --pprof: write into this file (default: standard output)")
}

// asked is whether a form of a profile is, and which.
func (o *profileExport) asked() (format export.Format, yes bool) {
	for f, on := range map[export.Format]bool{export.CSV: o.csv, export.Parquet: o.parquet, export.Float32: o.f32, export.CPU: o.cpu} {
		if on {
			return f, true
		}
	}
	return 0, false
}

// write exports the profile that args name.
func (o *profileExport) write(cmd *cobra.Command, format export.Format, args []string) error {
	switch {
	case len(args) != 1:
		return usageError{errors.New("export wants one profile: jobgait export --csv PROFILE")}
	case args[0] == "-":
		return usageError{errors.New("a profile is read twice: name a file, - cannot be")}
	case format == export.Float32 && o.column == "":
		return usageError{errors.New("--f32 writes one column: name it with --column")}
	case format != export.CSV && format != export.CPU && o.output == "" && isTerminal(cmd.OutOrStdout()):
		return usageError{errors.New("that is nothing for a terminal: give --output FILE")}
	}
	path := args[0]
	if o.same(path) {
		return usageError{fmt.Errorf("--output %s is the profile itself", o.output)}
	}
	progress := working(cmd.ErrOrStderr(), "exporting "+path)
	result, err := o.to(cmd.OutOrStdout(), path, export.Options{Format: format, Column: o.column})
	progress.done()
	if err != nil {
		return noProfile(path, fmt.Errorf("export %s: %w", path, err))
	}
	if text := result.Damage.Text; text != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: %s: %s\n", path, text)
	}
	if format == export.Float32 {
		fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: %s at %g samples a second (--rate %g)\n", o.column, result.RateHz, result.RateHz)
	}
	return nil
}

// to writes to the output file, which is there whole or not at all, or to out.
func (o *profileExport) to(out io.Writer, path string, options export.Options) (r export.Result, err error) {
	if o.output == "" {
		return export.Write(out, path, options)
	}
	err = writeFile(o.output, func(w io.Writer) error {
		r, err = export.Write(w, path, options)
		return err
	})
	return r, err
}

// same is whether the output would replace the profile.
func (o *profileExport) same(path string) bool {
	a, err := os.Stat(path)
	b, berr := os.Stat(o.output)
	return err == nil && berr == nil && os.SameFile(a, b)
}
