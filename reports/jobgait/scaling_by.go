package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/application"
	"jobgait/analysis/scaling"
	"jobgait/reports/scale"
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

// ranked puts what grows worst first; what has no law comes last.
func ranked(r scale.Report) scale.Report {
	order := make([]int, len(r.Results))
	growth := make([]float64, len(r.Results))
	for i := range order {
		order[i] = i
		growth[i] = math.Inf(-1)
		if p := scaling.Sizes(r.Series[i].Observations); len(p) > 0 {
			if g := r.Results[i].Growth(p[len(p)-1]); !math.IsNaN(g) {
				growth[i] = g
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(growth[b], growth[a]) })
	if r.Common != nil { // its members are named by their places
		at := make([]int, len(order))
		for to, from := range order {
			at[from] = to
		}
		c := *r.Common
		c.Members = slices.Clone(c.Members)
		for i, m := range c.Members {
			c.Members[i] = at[m]
		}
		slices.Sort(c.Members)
		r.Common = &c
	}
	results, series, numbers := r.Results, r.Series, r.Numbers
	r.Results, r.Series, r.Numbers = make([]scaling.Result, len(order)), make([]scaling.Series, len(order)), make([]bool, len(order))
	for to, from := range order {
		r.Results[to], r.Series[to] = results[from], series[from]
		if from < len(numbers) {
			r.Numbers[to] = numbers[from]
		}
	}
	return r
}
