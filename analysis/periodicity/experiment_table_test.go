package periodicity_test

import (
	"fmt"
	"io"

	"jobgait/analysis/quantity"
)

// table prints the paper's Table II: the time of the run, the number of
// representative patterns, of their instances and of consecutive ones in a region
// on average, and the share of the profile that they cover.
func (o options) table(w io.Writer, paths []string) error {
	fmt.Fprintf(w, "%-40s %10s  %-20s %8s\n", "profile", "T_exe (s)", "#rp(#i)[#pa]", "%period")
	for _, path := range paths {
		set, err := o.read(path)
		if err != nil {
			return err
		}
		all, err := o.find(set)
		if err != nil {
			return err
		}
		instances, regions := 0, 0
		in := make([]bool, set.Len())
		for _, f := range all {
			instances += len(f.Instances)
			regions += len(f.Regions)
			for _, i := range f.Instances {
				for k := i.First; k < i.First+i.Length; k++ {
					in[k] = true
				}
			}
		}
		covered := 0
		for _, b := range in {
			if b {
				covered++
			}
		}
		fmt.Fprintf(w, "%-40s %10.2f  %-20s %9s\n", path, float64(set.Len())*set.StepS,
			fmt.Sprintf("%d(%d)[%.0f]", len(all), instances, float64(instances)/float64(max(1, regions))),
			quantity.Share(float64(covered)/float64(max(1, set.Len()))))
	}
	return nil
}
