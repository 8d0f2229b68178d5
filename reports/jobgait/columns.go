package main

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jobgait/analysis/table"
)

// columnFlags adds the flags that name the columns of a FILE.
func columnFlags(f *pflag.FlagSet, by *table.Columns) {
	f.StringVar(&by.Time, "time", "", "the column of FILE that holds the times")
	f.StringVar(&by.Value, "column", "", "the column of FILE that is analysed")
}

// printReading prints how a file was interpreted, and that it is cut off if it is.
func printReading(cmd *cobra.Command, name string, r table.Reading) {
	if r.Columns != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: %s: read as: %s\n", name, r.Columns)
	}
	if r.Cut != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "jobgait: %s: %s\n", name, r.Cut)
	}
}

// counted counts the bytes read, for a line of progress.
type counted struct {
	r io.Reader
	n atomic.Int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n.Add(int64(n))
	return n, err
}
