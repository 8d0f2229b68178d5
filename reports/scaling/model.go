package scaling

import (
	"slices"

	"jobgait/analysis/scaling"
)

// Fits is what is said of one input.
type Fits struct {
	Method  scaling.Method
	Name    string // of the input, for people
	Results []scaling.Result
	// Series are the inputs; Series[i] gave Results[i].
	Series []scaling.Series
	// Numbers says whose id was a number in the input and is given back as one.
	Numbers []bool
	// Expected is how many of the series chance alone would segment; NaN is not
	// known.
	Expected float64
	// Common is the change that the series have together; nil without one.
	Common *scaling.Common
}

// Grid says whether all series were measured at the same sizes, as the kernels
// and metrics of one campaign are. Only then is a common change looked for: of
// strangers it says nothing.
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
