package change

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/anatomy"
	"jobgait/analysis/changepoint"
	"jobgait/analysis/quantity"
	"jobgait/analysis/summary"
)

const (
	// maxRunFunctions is the largest number of functions that the comparison of two runs lists.
	maxRunFunctions = 8
	// leastFunctionShare is the least share of the CPU time of one of the runs that a listed function has.
	leastFunctionShare = 0.02
)

// functionTimes returns the CPU time in s that two runs spent in each function, the largest difference first. A
// function is listed if it has leastFunctionShare of one run; the value of a run in which it was not sampled is nil.
// The result is empty unless code was sampled in both runs.
func functionTimes(a, b summary.Summary) []Number {
	if a.Code == nil || b.Code == nil {
		return []Number{}
	}
	x, y := functionSeconds(a.Code.Run), functionSeconds(b.Code.Run)
	out := []Number{}
	listed := map[string]bool{}
	for _, list := range [][]anatomy.Share{a.Code.Run.Functions, b.Code.Run.Functions} {
		for _, f := range list {
			name := changepoint.FunctionName(f.Library, f.Name)
			if f.Share < leastFunctionShare || listed[name] {
				continue
			}
			listed[name] = true
			out = append(out, newNumber(name, "s", x[name], y[name]))
		}
	}
	slices.SortStableFunc(out, func(p, q Number) int { return cmp.Compare(q.difference(), p.difference()) })
	return out[:min(len(out), maxRunFunctions)]
}

// functionSeconds returns the CPU time in s by the name of the function; code without a name is one function of each
// library.
func functionSeconds(s anatomy.Split) map[string]*float64 {
	sum := map[string]float64{}
	for _, f := range s.Functions {
		sum[changepoint.FunctionName(f.Library, f.Name)] += f.Seconds
	}
	out := make(map[string]*float64, len(sum))
	for name, v := range sum {
		out[name] = quantity.Finite(v)
	}
	return out
}

// difference returns by how much the two values differ; an unknown value counts as 0.
func (n Number) difference() float64 {
	value := func(v *float64) float64 {
		if v == nil {
			return 0
		}
		return *v
	}
	return math.Abs(value(n.B) - value(n.A))
}
