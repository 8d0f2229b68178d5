package anatomy

import (
	"iter"
	"math"
)

// Growth is by how much counters grew in slots, on the grid of the cycles; NaN is not
// known. Counters are read more seldom than slots are long: what grew between two
// readings is spread evenly.
type Growth struct {
	First int64
	SlotS float64
	// Weight is how many blocks like it this one stands for.
	Weight  float64
	Columns [][]float64
}

// Folded is counters put to the part of the cycle at which they grew: seconds that were
// seen and what grew meanwhile, of each column, bin by bin. Readings at times of their
// own fall on every part of a cycle in the long run, so that a cycle of a few readings
// has a shape.
type Folded struct {
	Pattern       string
	Count         float64 // cycles
	Seconds, Grew [][]float64
}

// Fold folds the given number of columns on the cycles of each pattern.
func Fold(cycles []Cycles, columns int, blocks iter.Seq[Growth]) []Folded {
	spans := spansOf(cycles)
	out := make([]Folded, len(cycles))
	for i, c := range cycles {
		out[i].Pattern = c.Pattern
		for range columns {
			out[i].Seconds, out[i].Grew = append(out[i].Seconds, make([]float64, Bins)),
				append(out[i].Grew, make([]float64, Bins))
		}
	}
	for b := range blocks {
		for i := range b.slots() {
			slot := b.First + int64(i)
			s, part := where(spans, slot)
			if s == nil {
				continue
			}
			f := &out[part-patterns]
			f.Count += b.Weight / float64(s.end-s.first)
			for c, column := range b.Columns[:min(columns, len(b.Columns))] {
				if grew := column[i]; !math.IsNaN(grew) {
					s.bins(slot, func(bin int, share float64) {
						f.Seconds[c][bin] += share * b.SlotS * b.Weight
						f.Grew[c][bin] += share * grew * b.Weight
					})
				}
			}
		}
	}
	return out
}

// slots is how many a block has.
func (g Growth) slots() int {
	n := 0
	for i, c := range g.Columns {
		if i == 0 || len(c) < n {
			n = len(c)
		}
	}
	return n
}
