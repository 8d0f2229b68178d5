package scale

import (
	"math"
	"slices"

	"jobgait/analysis/scaling"
)

// Report is what is said of one input.
type Report struct {
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
	// Common is the change that the series have together; nil where there is none.
	Common *scaling.Common
}

// Grid says whether all series were measured at the same sizes, as the kernels
// and metrics of one campaign are. Only then is a common change looked for: of
// strangers it says nothing.
func Grid(list []scaling.Series) bool {
	for _, s := range list {
		if s.Parameter != list[0].Parameter || !slices.Equal(Sizes(s.Observations), Sizes(list[0].Observations)) {
			return false
		}
	}
	return len(list) > 1
}

// Sizes returns the distinct ascending parameter values that were fitted. The
// indexes of a result count these.
func Sizes(observations []scaling.Observation) []float64 {
	var p []float64
	for _, o := range observations {
		if usable(o) {
			p = append(p, o.P)
		}
	}
	slices.Sort(p)
	return slices.Compact(p)
}

// usable is whether an observation can be fitted, as package scaling sees it:
// indexes count the sizes of these. A fuzz test holds the two together.
func usable(o scaling.Observation) bool {
	const (
		largest          = 1e60 // of values
		largestParameter = 1e30 // and the inverse is the smallest
	)
	return o.P >= 1/largestParameter && o.P <= largestParameter && math.Abs(o.Value) <= largest
}

// segmented counts the results that have a change.
func (r Report) segmented() int {
	n := 0
	for _, s := range r.Results {
		if s.Segmented {
			n++
		}
	}
	return n
}
