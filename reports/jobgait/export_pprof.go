package main

import (
	"errors"
	"io"

	"jobgait/reports/job"

	"github.com/spf13/cobra"

	"jobgait/analysis/summary"
)

// pprofExport is which code a stored run consists of, for pprof.
type pprofExport struct{ history, output string }

// write writes the run that args name.
func (o pprofExport) write(cmd *cobra.Command, getenv func(string) string, args []string) error {
	switch {
	case len(args) != 1:
		return usageError{errors.New("--pprof wants one job id: jobgait export --pprof 123 -o x.pb.gz")}
	case !summary.IsDisplayID(args[0]):
		return noJobID(args[0])
	case o.output == "" && isTerminal(cmd.OutOrStdout()):
		return usageError{errors.New("that is nothing for a terminal: give --output FILE")}
	}
	from, err := openHistories(cmd.Context(), getenv, o.history)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	s, _, err := from.run(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	if o.output == "" {
		return job.Pprof(cmd.OutOrStdout(), s)
	}
	return writeFile(o.output, func(w io.Writer) error { return job.Pprof(w, s) })
}
