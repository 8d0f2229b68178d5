package main

import (
	"fmt"
	"io"
	"sync/atomic"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jobgait/analysis/quantity"
	"jobgait/analysis/table"
)

// columnFlags adds the flags that name the columns of a FILE.
func columnFlags(f *pflag.FlagSet, by *table.Columns) {
	f.StringVar(&by.Time, "time", "", "take the times from this column of FILE")
	f.StringVar(&by.Value, "column", "", "analyse this column of FILE")
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

// fileReading is how one file was interpreted.
type fileReading struct {
	name string
	table.Reading
}

// printReadings prints how files were interpreted: one line for neighbors that were interpreted alike.
func printReadings(cmd *cobra.Command, all []fileReading) {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].Columns == all[0].Columns && all[n].Cut == "" {
			n++
		}
		name := all[0].name
		if n > 1 {
			name += " and " + quantity.Plural(n-1, "more file")
		}
		printReading(cmd, name, all[0].Reading)
		all = all[n:]
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
