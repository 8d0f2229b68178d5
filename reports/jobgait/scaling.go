package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
	"jobgait/analysis/scaling"
	"jobgait/analysis/table"
	scalingreport "jobgait/reports/scaling"
)

// scalingOptions are the flags of the verb scaling.
type scalingOptions struct {
	method, mode, series, plot string
	json                       bool
	stored                     storedFlags
	columns                    table.Columns // of a FILE; Parameter is also used for stored runs
	by                         string
}

// scalingCommand returns the verb scaling.
func scalingCommand(getenv func(string) string) *cobra.Command {
	var o scalingOptions
	c := &cobra.Command{
		Use:   "scaling [FILE]",
		Short: "fit how measurements grow with a parameter, and where that changes",
		Long: "scaling fits how a metric grows with one parameter, finds where its law\n" +
			"changes, predicts larger sizes and suggests the most informative next\n" +
			"measurement. It analyses your stored runs, those of --user or the whole --site,\n" +
			"or the measurements in FILE.\n\n" +
			"The format of FILE is recognized by its content (- is standard input,\n" +
			"compressed or not): CSV param,rep,value or with columns named in a header\n" +
			"(nodes, ranks, procs, p, n, size..; value, seconds, time_s, elapsed..; series,\n" +
			"metric, group, day, node_hours and your own), series lines\n" +
			"{\"id\":..,\"p\":[..],\"y\":[..]}, Extra-P's text, JSON, JSON Lines and Talpas,\n" +
			"JSON of hyperfine, Google Benchmark, pytest-benchmark, CodSpeed, JMH or\n" +
			"cargo-criterion, JSON objects of a size and a value,\n" +
			"Criterion's raw.csv, or logs of LAMMPS one after the other. A line on standard\n" +
			"error says how a CSV file was interpreted.",
		Args: argCount(0, 1, "at most one file: jobgait scaling [FILE]"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(o.valid(), o.validBy(len(args))); err != nil {
				return err
			}
			if len(args) == 0 {
				if err := o.validStored(); err != nil {
					return err
				}
				return o.ofStored(cmd, getenv)
			}
			return o.ofFile(cmd, args[0])
		},
	}
	c.Flags().StringVar(&o.method, "method", string(scaling.Likelihood),
		"find changes by this method: likelihood, paper or extra-p")
	c.Flags().StringVar(&o.mode, "mode", "", "compute the efficiency for strong or weak scaling")
	c.Flags().StringVar(&o.series, "series", "", "analyse only the series with this id")
	c.Flags().StringVar(&o.plot, "plot", "", "draw pictures into this SVG file")
	c.Flags().BoolVar(&o.json, "json", false, "print JSON")
	o.stored.add(c)
	columnFlags(c.Flags(), &o.columns)
	c.Flags().StringVar(&o.columns.Parameter, "parameter", "",
		"model the growth with this: a column of FILE; of stored runs nodes, tasks or size (default: that with most "+
			"values while all else is equal)")
	c.Flags().StringVar(&o.by, "by", "", "analyse each function or class of code of stored runs, fastest growth first")
	return c
}

// valid returns a usage error for invalid values of flags.
func (o scalingOptions) valid() error {
	switch scaling.Method(o.method) {
	case scaling.Likelihood, scaling.Paper, scaling.ExtraP:
	default:
		return usageError{fmt.Errorf("invalid --method %q: want likelihood, paper or extra-p", o.method)}
	}
	switch scaling.Mode(o.mode) {
	case scaling.Undeclared, scaling.Strong, scaling.Weak:
	default:
		return usageError{fmt.Errorf("invalid --mode %q: want strong or weak", o.mode)}
	}
	return o.stored.valid()
}

// validStored returns a usage error for flags that do not apply to stored runs and for an unknown
// --parameter.
func (o scalingOptions) validStored() error {
	if o.columns.Value != "" || o.columns.Time != "" {
		return usageError{fmt.Errorf("--column and --time work only with FILE: name a file")}
	}
	switch o.columns.Parameter {
	case "", "nodes", "tasks", "size":
		return nil
	}
	return usageError{fmt.Errorf("unknown --parameter %q: want nodes, tasks or size", o.columns.Parameter)}
}

// ofFile fits the series of a file and prints the fits. --mode replaces the mode that the file declares.
func (o scalingOptions) ofFile(cmd *cobra.Command, path string) error {
	mode := scaling.Mode(o.mode)
	complain := cmd.ErrOrStderr()
	p := startProgress(complain, "fitting "+path)
	file, err := readMeasurements(cmd, path, o.series, o.columns)
	if err != nil {
		p.done()
		return err
	}
	for i := range file.Series {
		if mode != scaling.Undeclared {
			file.Series[i].Mode = mode
		}
	}
	r := analyseScaling(file, nameOfInput(path), scaling.Method(o.method))
	p.done()
	printReading(cmd, path, file.Reading)
	if file.Left > 0 {
		fmt.Fprintf(complain, "jobgait: left out: %s of parameters with fewer than three sizes\n",
			quantity.Plural(file.Left, "combination"))
	}
	return o.print(cmd, r)
}

// print prints the fits and draws the plot if one was requested.
func (o scalingOptions) print(cmd *cobra.Command, r scalingreport.Fits) error {
	if err := o.draw(r, cmd.ErrOrStderr()); err != nil {
		return err
	}
	if o.json {
		return scalingreport.JSON(cmd.OutOrStdout(), r)
	}
	return scalingreport.Text(cmd.OutOrStdout(), r)
}

// readMeasurements reads a file of measurements; if series is not "", only the series with that id, and an error if
// there is no such series.
func readMeasurements(cmd *cobra.Command, path, series string, by table.Columns) (table.Measurements, error) {
	in, err := openInput(cmd, path)
	if err != nil {
		return table.Measurements{}, err
	}
	defer func() { _ = in.Close() }()
	o := table.DefaultMeasurements(in.Name)
	o.Columns = by
	file, err := table.ReadMeasurements(in, o)
	if err != nil || series == "" {
		return file, err
	}
	for i, s := range file.Series {
		if s.ID == series {
			one := table.Measurements{Reading: file.Reading, Format: file.Format, Series: file.Series[i : i+1]}
			if i < len(file.Numbers) {
				one.Numbers = file.Numbers[i : i+1]
			}
			return one, nil
		}
	}
	return table.Measurements{}, fmt.Errorf("%s: the file has no series %q among its %d series: name another with "+
		"--series",
		in.Name, series, len(file.Series))
}

// analyseScaling fits all series by the given method; name is that of the input. With the method likelihood it adds the
// number of changes expected by chance and, for series on one grid of sizes, the change that they share.
func analyseScaling(file table.Measurements, name string, method scaling.Method) scalingreport.Fits {
	r := scalingreport.Fits{Method: method, Name: name, Results: scaling.Analyse(file.Series, method),
		Series: file.Series, Numbers: file.Numbers, Expected: math.NaN()}
	if method == scaling.Likelihood {
		r.Expected = scaling.ExpectedByChance(r.Results)
		if scalingreport.Grid(file.Series) {
			if c, ok := scaling.FindSharedChange(file.Series); ok {
				r.Common = &c
			}
		}
	}
	return r
}

// draw writes the pictures if --plot names a file.
func (o scalingOptions) draw(r scalingreport.Fits, complain io.Writer) error {
	if o.plot == "" {
		return nil
	}
	left := 0
	err := writeFile(o.plot, func(w io.Writer) (err error) {
		left, err = scalingreport.Picture(w, r)
		return err
	})
	if err == nil && left > 0 {
		fmt.Fprintf(complain, "jobgait: %s has the first pictures; %d more were left out (--series ID draws one)\n", o.plot,
			left)
	}
	return err
}

// nameOfInput returns the name for a lone series without a name.
func nameOfInput(path string) string {
	if path == "-" {
		return "standard input"
	}
	return filepath.Base(path)
}

// noModelError is the error for stored runs of whose sizes none differ alone.
func noModelError(whose string) error {
	return fmt.Errorf("cannot model runs of %s: no application has runs of two sizes (nodes, tasks or input) with all "+
		"else equal: run one at another size", whose)
}

// ofStored fits scaling laws to the applications of stored runs, or with --by to their functions or classes of code,
// and prints them. It returns an error if no series can be made of the runs.
func (o scalingOptions) ofStored(cmd *cobra.Command, getenv func(string) string) error {
	s, err := o.stored.read(cmd, getenv)
	if err != nil {
		return err
	}
	progress := startProgress(cmd.ErrOrStderr(), "analysing "+quantity.Plural(len(s.List), "series"))
	file, err := o.measurements(s)
	if err != nil || len(file.Series) == 0 {
		progress.done()
		if err == nil && o.by != "" {
			err = o.noSeriesError(s.whose)
		} else if err == nil {
			err = noModelError(s.whose)
		}
		return err
	}
	r := analyseScaling(file, "runs of "+s.whose, scaling.Method(o.method))
	if o.by != "" { // in another order once more, which takes less than to sort all that was found
		file.Series = rankedByGrowth(file.Series, r.Results)
		r = analyseScaling(file, r.Name, scaling.Method(o.method))
	}
	progress.done()
	return o.print(cmd, r)
}

// measurements makes scaling series from stored runs. It first looks for changes of speed, because runs
// before and after a change do not follow one law. If --series names one, only that is returned.
func (o scalingOptions) measurements(s stored) (table.Measurements, error) {
	var series []changepoint.Series
	for _, h := range s.Inputs {
		series = append(series, h.Series)
	}
	found := changepoint.Analyse(series, changepoint.Sequential, changepoint.Default())
	chosen, results := s.choose(found)
	options := application.ScalingOptions{Metric: o.stored.metric, Parameter: o.columns.Parameter,
		Mode: scaling.Mode(o.mode)}
	var list []scaling.Series
	var err error
	if o.by != "" {
		list = chosen.ScalingBy(application.CodeLevel(o.by), results, options)
	} else {
		list, err = chosen.Scaling(results, options)
	}
	if err != nil {
		return table.Measurements{}, err
	}
	file := table.Measurements{}
	for _, x := range list {
		if o.series == "" || o.series == x.ID {
			file.Series, file.Numbers = append(file.Series, x), append(file.Numbers, false)
		}
	}
	return file, nil
}

// validBy returns a usage error for an invalid value of --by, and for --by together with --metric or with files, whose
// number is files.
func (o scalingOptions) validBy(files int) error {
	switch application.CodeLevel(o.by) {
	case "":
		return nil
	case application.ByFunction, application.ByClass:
	default:
		return usageError{fmt.Errorf("invalid --by %q: want function or class", o.by)}
	}
	switch {
	case files > 0:
		return usageError{fmt.Errorf("--by works only with stored runs, because a file has no functions: leave out FILE")}
	case o.stored.metric != "":
		return usageError{fmt.Errorf("--by compares the CPU time of a cycle: leave out --metric")}
	}
	return nil
}

// noSeriesError returns an error that says why there are no series by function or class.
func (o scalingOptions) noSeriesError(whose string) error {
	return fmt.Errorf("cannot model runs of %s: no %s takes 2 %% of the CPU time in runs of five sizes with all else "+
		"equal: run at more sizes, or store names (history.names)", whose, o.by)
}

// rankedByGrowth returns the series in order of the growth of their laws at their largest size, the fastest first;
// those without a law come last.
func rankedByGrowth(list []scaling.Series, results []scaling.Result) []scaling.Series {
	order := make([]int, len(list))
	growth := make([]float64, len(list))
	for i := range order {
		order[i] = i
		growth[i] = math.Inf(-1)
		if p := scaling.Sizes(list[i].Observations); len(p) > 0 {
			if g := results[i].Growth(p[len(p)-1]); !math.IsNaN(g) {
				growth[i] = g
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(growth[b], growth[a]) })
	sorted := make([]scaling.Series, len(list))
	for to, from := range order {
		sorted[to] = list[from]
	}
	return sorted
}
