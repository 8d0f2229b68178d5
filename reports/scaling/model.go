package scaling

import (
	"slices"

	"jobgait/analysis/scaling"
)

// Fits is the report of one input.
type Fits struct {
	Method  scaling.Method
	Name    string // the printed name of the input
	Results []scaling.Result
	// Series are the inputs; Results[i] is the result of Series[i].
	Series []scaling.Series
	// Numbers[i] says that the id of Series[i] is a number in the input, and is written as one.
	Numbers []bool
	// Expected is the number of series expected to be segmented by chance alone; NaN if unknown.
	Expected float64
	// Common is the change that the series share; nil without one.
	Common *scaling.SharedChange
}

// Grid reports whether there are two series or more and all were measured at the same sizes of the same parameter, such
// as the kernels and metrics of one campaign. Only such series are searched for a common change, which would mean
// nothing for unrelated ones.
func Grid(list []scaling.Series) bool {
	for _, s := range list {
		if s.Parameter != list[0].Parameter ||
			!slices.Equal(scaling.Sizes(s.Observations), scaling.Sizes(list[0].Observations)) {
			return false
		}
	}
	return len(list) > 1
}

// segmented counts the results that have a change.
func (r Fits) segmented() int {
	n := 0
	for _, s := range r.Results {
		if s.Segmented {
			n++
		}
	}
	return n
}
