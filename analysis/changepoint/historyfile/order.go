package historyfile

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"jobgait/analysis/note"
)

// finish brings the runs into the order of time and takes values that are no
// finite numbers as missing, with a note on each.
func (in *Input) finish() {
	infinite := 0
	for i, v := range in.Y {
		if math.IsInf(v, 0) {
			in.Y[i] = math.NaN()
			infinite++
		}
	}
	if infinite > 0 {
		in.Notes = append(in.Notes, note.New(note.UnusableValue, "%s infinite or too large: taken as missing", note.Count(infinite, "value")))
	}
	if sort.Float64sAreSorted(in.T) {
		return
	}
	in.Order = make([]int, len(in.T))
	for i := range in.Order {
		in.Order[i] = i
	}
	slices.SortStableFunc(in.Order, func(a, b int) int { return cmp.Compare(in.T[a], in.T[b]) })
	in.T, in.Y, in.Start = arranged(in.T, in.Order), arranged(in.Y, in.Order), arranged(in.Start, in.Order)
	in.Given, in.Nodes = arranged(in.Given, in.Order), arranged(in.Nodes, in.Order)
	for name, v := range in.Also {
		in.Also[name] = arranged(v, in.Order)
	}
	for name, v := range in.Meta {
		in.Meta[name] = arranged(v, in.Order)
	}
	in.Notes = append(in.Notes, note.New(note.Unsorted, "the runs were not in the order of time and were sorted; indexes are those of the input"))
}

// arranged returns a list in another order; nil stays nil.
func arranged[T any](list []T, order []int) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(order))
	for k, i := range order {
		out[k] = list[i]
	}
	return out
}
