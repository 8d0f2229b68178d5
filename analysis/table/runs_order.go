package table

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
)

// finish turns rates into times, makes infinite values missing and sorts the runs by time, with a note for each
// thing that it had to do. After sorting, Order holds the index of each run in the input.
func (in *Runs) finish() {
	in.invertRates()
	infinite := 0
	for i, v := range in.Y {
		if math.IsInf(v, 0) {
			in.Y[i] = math.NaN()
			infinite++
		}
	}
	if infinite > 0 {
		in.Notes = append(in.Notes, note.New(note.UnusableValue,
			"the series has %s, infinite or too large to be stored: treated as missing",
			quantity.Plural(infinite, "value")))
	}
	if sort.Float64sAreSorted(in.T) {
		return
	}
	order := timeOrder(in.T)
	before := in.Order
	*in = in.arrange(order)
	if in.Order = order; before != nil { // the runs are a part of the input
		in.Order = arranged(before, order)
	}
	in.Notes = append(in.Notes, note.New(note.Unsorted,
		"the %d runs were not in the order of their times: they were sorted before use; indexes are those of the input",
		len(in.T)))
}

// timeOrder returns the indexes of times in ascending order of time; equal times keep their order.
func timeOrder(t []float64) []int {
	order := make([]int, len(t))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t[a], t[b]) })
	return order
}

// arrange returns the runs at the given places, in that order.
func (in Runs) arrange(order []int) Runs {
	in.T, in.Y, in.Start = arranged(in.T, order), arranged(in.Y, order), arranged(in.Start, order)
	in.Given, in.Nodes = arranged(in.Given, order), arranged(in.Nodes, order)
	also, meta := make(map[string][]float64, len(in.Also)), make(map[string][]string, len(in.Meta))
	for name, v := range in.Also {
		also[name] = arranged(v, order)
	}
	for name, v := range in.Meta {
		meta[name] = arranged(v, order)
	}
	in.Also, in.Meta = also, meta
	return in
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
