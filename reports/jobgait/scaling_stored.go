package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"jobgait/analysis/application"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/scaling"
	"jobgait/analysis/scaling/experimentfile"
)

// ofStored fits how the applications of stored runs scale.
func (o scalingOptions) ofStored(cmd *cobra.Command, getenv func(string) string) error {
	s, err := o.stored.read(cmd, getenv)
	if err != nil {
		return err
	}
	progress := working(cmd.ErrOrStderr(), fmt.Sprintf("looking at %d series", len(s.List)))
	file, err := o.measurements(s)
	if err != nil || len(file.Series) == 0 {
		progress.done()
		if err == nil && o.by != "" {
			err = o.noneBy(s.whose)
		} else if err == nil {
			err = fmt.Errorf("runs of %s: no application was run at two sizes with all else equal", s.whose)
		}
		return err
	}
	r := analyseScaling(file, "runs of "+s.whose, scaling.Method(o.method))
	if o.by != "" { // in another order once more, which takes less than to sort all that was found
		file.Series = ranked(file.Series, r.Results)
		r = analyseScaling(file, r.Name, scaling.Method(o.method))
	}
	progress.done()
	return o.print(cmd, r)
}

// measurements makes scaling series of stored runs. What changed speed is looked for
// in all of them first: runs of before and after are not of one law.
func (o scalingOptions) measurements(s stored) (experimentfile.File, error) {
	var series []changepoint.Series
	for _, h := range s.Inputs {
		series = append(series, h.Series)
	}
	found := changepoint.Analyse(series, changepoint.Sequential, changepoint.Default())
	chosen, results := s.choose(found)
	options := application.ScalingOptions{Metric: o.stored.metric, Parameter: o.parameter, Mode: scaling.Mode(o.mode)}
	var list []scaling.Series
	var err error
	if o.by != "" {
		list = chosen.ScalingBy(application.By(o.by), results, options)
	} else {
		list, err = chosen.Scaling(results, options)
	}
	if err != nil {
		return experimentfile.File{}, err
	}
	file := experimentfile.File{}
	for _, x := range list {
		if o.series == "" || o.series == x.ID {
			file.Series, file.Numbers = append(file.Series, x), append(file.Numbers, false)
		}
	}
	return file, nil
}
