package periodicity_test

import (
	"fmt"
	"io"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/quantity"
)

// reproduce compares the main patterns of runs of one application, rotated to a common phase, by the paper's
// rule: the distance per pair of samples is at most 1 % of the mean.
func (o options) reproduce(w io.Writer, paths []string) error {
	if len(paths) < 2 {
		return errUsage
	}
	var runs []pattern.NodePattern
	for _, path := range paths {
		set, err := o.read(path)
		if err != nil {
			return err
		}
		all, err := o.find(set)
		if err != nil {
			return err
		}
		f, ok := largest(all)
		if !ok {
			return fmt.Errorf("%s: no pattern", path)
		}
		runs = append(runs, pattern.NodePattern{Node: path,
			Pattern: pattern.Pattern{Timing: periodicity.Timing{PeriodS: f.PeriodS}, Values: single(f.values)}})
		fmt.Fprintf(w, "%-40s period %.5g s, %d instances, %s of the run\n", path, f.PeriodS, len(f.Instances),
			quantity.Share(f.Coverage))
	}
	a := pattern.CompareNodes(runs)
	fmt.Fprintf(w, "%d of %d pairs agree (<= 1 %% of the mean), worst %s\n", a.Agree, a.Pairs,
		quantity.Percent(a.WorstPct))
	for _, n := range a.Nodes {
		fmt.Fprintln(w, n)
	}
	return nil
}
