package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/application"
	"jobgait/analysis/scaling"
)

// validBy refuses what --by cannot be.
func (o scalingOptions) validBy(files int) error {
	switch application.By(o.by) {
	case "":
		return nil
	case application.ByFunction, application.ByClass:
	default:
		return usageError{fmt.Errorf("--by %q is neither function nor class", o.by)}
	}
	switch {
	case files > 0:
		return usageError{fmt.Errorf("--by is of stored runs: a file has no functions")}
	case o.stored.metric != "":
		return usageError{fmt.Errorf("--by is of CPU time in a cycle: --metric cannot be chosen with it")}
	}
	return nil
}

// noneBy says why there is nothing to tell by function or class.
func (o scalingOptions) noneBy(whose string) error {
	return fmt.Errorf("runs of %s: no %s has 2 %% of the CPU time of runs of five sizes with all else equal (names are stored where history.names says so)", whose, o.by)
}

// ranked are series with what grows worst first, by their results; what has no law comes
// last.
func ranked(list []scaling.Series, results []scaling.Result) []scaling.Series {
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
