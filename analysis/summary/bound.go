package summary

import (
	"slices"

	"jobgait/analysis/pattern"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/phase"
)

// boundPhases returns at most about n phases: of more, the shortest gaps within
// a loop become part of it. A day of bursts would otherwise make a record of
// megabytes.
func boundPhases(table []phase.Phase, n int) []phase.Phase {
	if len(table) <= n {
		return table
	}
	var gaps []float64
	for i := range table {
		if within(table, i) {
			gaps = append(gaps, table[i].EndS-table[i].StartS)
		}
	}
	slices.Sort(gaps)
	k := min(len(gaps), (len(table)-n+1)/2) // a gap less is a loop less
	if k == 0 {
		return table
	}
	longest := gaps[k-1]
	var out []phase.Phase
	for i := 0; i < len(table); i++ {
		p := table[i]
		if m := len(out); m > 0 && within(table, i) && p.EndS-p.StartS <= longest {
			out[m-1].EndS, out[m-1].Share = table[i+1].EndS, out[m-1].Share+p.Share+table[i+1].Share
			i++
			continue
		}
		out = append(out, p)
	}
	return out
}

// within is whether phase i is a gap between two stretches of one loop.
func within(table []phase.Phase, i int) bool {
	if i == 0 || i+1 >= len(table) || table[i].Kind != phase.Gap {
		return false
	}
	a, b := table[i-1], table[i+1]
	return a.Kind == phase.Loop && b.Kind == phase.Loop && a.Pattern == b.Pattern
}

// boundRegions joins regions of each pattern that are nearest to each other until
// there are at most n; the number of instances stays right.
func boundRegions(patterns []pattern.Pattern, n int) {
	for i, p := range patterns {
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
		patterns[i].Regions = out
	}
}
