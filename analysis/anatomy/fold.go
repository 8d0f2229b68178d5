package anatomy

import (
	"iter"
	"math"
)

// Growth holds by how much counters grew in each slot, slots being those of the cycles; NaN means unknown. A
// counter is read less than once per slot, so the growth between two readings is spread evenly over the slots
// between them.
type Growth struct {
	First int64
	SlotS float64
	// Weight is the number of similar blocks that this one represents.
	Weight  float64
	Columns [][]float64
}

// Folded holds counters by position within the cycle: for each column and bin, the seconds observed and by how
// much the counter grew in them. Because readings are not synchronous with cycles, over many cycles they fall
// on every part of the cycle. So the shape of a cycle can be determined even if each cycle has only a few
// readings.
type Folded struct {
	Pattern       string
	Count         float64 // cycles
	Seconds, Grew [][]float64
}

// Fold adds up the growth of counters by position within the cycle and returns one result per pattern, each with
// columns counters. Each slot counts for the cycle in which it lies, times the block's weight. Slots outside of cycles
// and unknown growth (NaN) are skipped.
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
			s, part := locateSlot(spans, slot)
			if s == nil {
				continue
			}
			f := &out[part-patterns]
			f.Count += b.Weight / float64(s.end-s.first)
			for c, column := range b.Columns[:min(columns, len(b.Columns))] {
				if grew := column[i]; !math.IsNaN(grew) {
					s.eachBin(slot, func(bin int, share float64) {
						f.Seconds[c][bin] += share * b.SlotS * b.Weight
						f.Grew[c][bin] += share * grew * b.Weight
					})
				}
			}
		}
	}
	return out
}

// slots returns the number of slots that all columns of the block have.
func (g Growth) slots() int {
	n := 0
	for i, c := range g.Columns {
		if i == 0 || len(c) < n {
			n = len(c)
		}
	}
	return n
}
