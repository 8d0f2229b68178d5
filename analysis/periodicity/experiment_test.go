package periodicity_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"testing"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
	"jobgait/analysis/table"
)

// TestExperiment prints Phase-TA's own views of profiles: its Table II, the sum of squares of patterns of short
// excerpts against that of the whole (Fig. 5), and whether runs of one application give one pattern (IV-A). It is
// skipped without arguments:
//
//	go test -v -run TestExperiment ./analysis/periodicity -args table FILE..
//	go test -v -run TestExperiment ./analysis/periodicity -args duration FILE
//	go test -v -run TestExperiment ./analysis/periodicity -args reproduce FILE FILE FILE
//
// FILE is an absolute path of a CSV (t_s,NAME..), or of float32 with -rate. Of several columns the first is used, or
// the one that -column names. -method paper is the paper's own method; its time grows with the square of the length.
func TestExperiment(t *testing.T) {
	if flag.NArg() == 0 {
		t.Skip("prints a table of profiles: -args table|duration|reproduce FILE..")
	}
	if err := runExperiment(flag.Args(), os.Stdout); err != nil {
		t.Fatal(err)
	}
}

// options are the flags of all views.
type options struct {
	method, column string
	rate           float64
	seed           uint64
	excerpts       int
}

var errUsage = errors.New("usage: -args table|duration|reproduce [-method track|paper] [-column NAME] [-rate HZ] " +
	"[-seed N] [-excerpts N] FILE [FILE ..]")

// runExperiment prints the view that args name.
func runExperiment(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errUsage
	}
	var o options
	f := flag.NewFlagSet(args[0], flag.ContinueOnError)
	f.StringVar(&o.method, "method", "track", "track or paper")
	f.StringVar(&o.column, "column", "", "column")
	f.Float64Var(&o.rate, "rate", 0, "samples per second")
	f.Uint64Var(&o.seed, "seed", 1, "of the places of excerpts")
	f.IntVar(&o.excerpts, "excerpts", 11, "of each duration")
	if err := f.Parse(args[1:]); err != nil {
		return err
	}
	if f.NArg() == 0 || o.method != "track" && o.method != "paper" || o.excerpts < 1 {
		return errUsage
	}
	w := bufio.NewWriter(out)
	defer func() { _ = w.Flush() }()
	switch args[0] {
	case "table":
		return o.table(w, f.Args())
	case "duration":
		return o.duration(w, f.Args())
	case "reproduce":
		return o.reproduce(w, f.Args())
	}
	return errUsage
}

// read reads one column of a file.
func (o options) read(path string) (series.Set, error) {
	f, err := os.Open(path)
	if err != nil {
		return series.Set{}, err
	}
	defer func() { _ = f.Close() }()
	t, err := table.ReadSamples(f,
		table.SampleOptions{Name: path, Columns: table.Columns{Value: o.column}, RateHz: o.rate})
	if err != nil {
		return series.Set{}, err
	}
	if !(t.Set.StepS > 0) {
		return series.Set{}, fmt.Errorf("%s: no rate", path)
	}
	if len(t.Set.Columns) > 1 && t.Set.Columns[0].Group == "" {
		t.Set.Columns = t.Set.Columns[:1]
	}
	return t.Set, nil
}

// found is a periodicity with its representative pattern, a value per sample.
type found struct {
	periodicity.Period
	values []float64
}

// find returns the patterns of a set, those of the largest coverage first.
func (o options) find(set series.Set) ([]found, error) {
	var out []found
	if o.method == "paper" {
		r, err := periodicity.DetectPaper(set)
		if err != nil {
			return nil, err
		}
		for i, p := range r.Periods {
			out = append(out, found{p, r.Shapes[i].Values})
		}
		return out, nil
	}
	r, err := periodicity.Detect(set, periodicity.Default())
	if err != nil {
		return nil, err
	}
	for i, q := range pattern.RepresentAt(set, r.Periods, 0) {
		f := found{Period: r.Periods[i]}
		for _, v := range q.Values {
			f.values = append(f.values, float64(v))
		}
		out = append(out, f)
	}
	return out, nil
}

// largest returns the pattern of the largest coverage; ok is false without a pattern.
func largest(all []found) (best found, ok bool) {
	for _, f := range all {
		if !ok || f.Coverage > best.Coverage {
			best, ok = f, true
		}
	}
	return best, ok
}

// items returns the instances of a period as lists of numbers, without those with a missing sample.
func items(set series.Set, p periodicity.Period) [][]float64 {
	c, _ := set.Column(p.Column)
	var out [][]float64
	for _, in := range p.Instances {
		x := make([]float64, 0, in.Length)
		for _, v := range c.Values[in.First : in.First+in.Length] {
			if !math.IsNaN(float64(v)) {
				x = append(x, float64(v))
			}
		}
		if len(x) == in.Length {
			out = append(out, x)
		}
	}
	return out
}
