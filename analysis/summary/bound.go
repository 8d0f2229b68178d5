package summary

import (
	"slices"

	"jobgait/analysis/periodicity"
)

// boundRegions joins, in place, regions of each period that are nearest to each other until there are at most
// n; the number of instances stays right. A day of bursts would otherwise make a record of megabytes, with a
// phase for each.
func boundRegions(periods []periodicity.Period, n int) {
	for i, p := range periods {
		if len(p.Regions) <= n {
			continue
		}
		gaps := make([]float64, 0, len(p.Regions))
		for k := 1; k < len(p.Regions); k++ {
			gaps = append(gaps, p.Regions[k].StartS-p.Regions[k-1].EndS)
		}
		sorted := slices.Sorted(slices.Values(gaps))
		longest := sorted[len(p.Regions)-n-1]
		out := []periodicity.Region{p.Regions[0]}
		for k, r := range p.Regions[1:] {
			if last := &out[len(out)-1]; gaps[k] <= longest {
				last.EndS, last.Count = r.EndS, last.Count+r.Count
				continue
			}
			out = append(out, r)
		}
		periods[i].Regions = out
	}
}
