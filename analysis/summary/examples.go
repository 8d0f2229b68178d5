package summary

import (
	"cmp"
	"math"
	"slices"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// ExampleReason is the reason why an iteration was chosen as an example.
type ExampleReason string

// The reasons: it was among the first, it has the usual length, it is among the longest.
const (
	Start   ExampleReason = "start"
	Typical ExampleReason = "typical"
	Slowest ExampleReason = "slowest"
)

// Example is one iteration as it was sampled, in the column of the pattern's shape.
type Example struct {
	Why     ExampleReason `json:"why"`
	StartS  float64       `json:"start_s"`
	LengthS float64       `json:"length_s"`
	Values  series.Values `json:"values"`
}

// A record keeps the first iterations of its main loop, those of usual length in equal parts of the run, and
// the longest: ten, each with a bounded number of points, 5 KB.
const (
	atStart, typical, slowest = 3, 4, 3
	examplePoints             = 160
)

// examplesOf returns the examples of a period's iterations in a column, in time order: the first ones, the longest of
// those that are longer than the median, and from each of equal parts of the run one of nearly the median length. It
// returns nil if the set has no such column.
func examplesOf(q periodicity.Period, set series.Set, column string) []Example {
	c, ok := set.Column(column)
	if !ok || len(q.Instances) == 0 {
		return nil
	}
	in := q.Instances
	picked := map[int]ExampleReason{}
	for i := range min(atStart, len(in)) {
		picked[i] = Start
	}
	long := make([]int, len(in))
	for i := range in {
		long[i] = i
	}
	slices.SortStableFunc(long, func(a, b int) int { return cmp.Compare(in[b].Length, in[a].Length) })
	usual := in[long[len(long)/2]].Length
	for _, i := range long {
		if picked[i] == "" && len(picked) < atStart+slowest && in[i].Length > usual {
			picked[i] = Slowest
		}
	}
	for part := range typical {
		from, to := part*len(in)/typical, (part+1)*len(in)/typical
		best := -1
		for i := from; i < to; i++ {
			if picked[i] == "" && (best < 0 || indexDistance(in[i].Length, usual) < indexDistance(in[best].Length, usual)) {
				best = i
			}
		}
		if best >= 0 {
			picked[best] = Typical
		}
	}
	var out []Example
	for i, x := range in {
		if picked[i] != "" && x.First >= 0 && x.Length > 0 && x.First+x.Length <= len(c.Values) {
			values, _ := means(c.Values[x.First:x.First+x.Length], examplePoints)
			out = append(out, Example{picked[i], math.Round((set.StartS+float64(x.First)*set.StepS)*1e6) / 1e6,
				float64(x.Length) * set.StepS, values})
		}
	}
	return out
}

// indexDistance returns the absolute difference of a and b.
func indexDistance(a, b int) int { return max(a-b, b-a) }
