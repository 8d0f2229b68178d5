package series

import (
	"math"
	"slices"
	"strings"
)

// KernelCode is the column of code in the kernel, OtherCode that of code that no other
// column of its group counts.
const (
	KernelCode = CodeGroup + ":kernel"
	OtherCode  = CodeGroup + ":other"
)

// Complete adds counts of code to a set in CPU time that has columns only of the pages hit most. columns are counts of
// the same run in wall time, on the slots of wall. What a column counts beyond the columns of s with its name, or with
// its name, a plus and more, is spread evenly over the bins of each slot and taken from OtherCode. A column that s
// lacks is appended. A set without OtherCode is returned as it is. The values of s are not changed.
func (s Set) Complete(wall Set, columns []Column) Set {
	k := slices.IndexFunc(s.Columns, func(c Column) bool { return c.Name == OtherCode })
	if k < 0 {
		return s
	}
	out := s
	out.Columns = slices.Clone(s.Columns)
	other := slices.Clone(s.Columns[k].Values)
	out.Columns[k].Values = other
	at := s.slotPositions(wall)
	for _, c := range columns {
		if c.Name == OtherCode {
			continue
		}
		j := slices.IndexFunc(s.Columns, func(d Column) bool { return d.Name == c.Name })
		var page Values
		if j < 0 {
			page = make(Values, s.Len())
			j, out.Columns = len(out.Columns), append(out.Columns, c)
		} else {
			page = slices.Clone(s.Columns[j].Values)
		}
		out.Columns[j].Values = page
		moveCounts(page, other, s.parts(c.Name), c.Values, at)
	}
	return out
}

// parts returns the values of a column and of the columns that count parts of it.
func (s Set) parts(name string) []Values {
	var out []Values
	for _, c := range s.Columns {
		if whole, _, _ := strings.Cut(c.Name, "+"); whole == name {
			out = append(out, c.Values)
		}
	}
	return out
}

// slotPositions returns the positions, in bins, at which the slots of a set in wall time begin, and at which
// the last one ends.
func (s Set) slotPositions(wall Set) []float64 {
	at := make([]float64, wall.Len()+1)
	i := 0
	for k := range at {
		t := wall.StartS + float64(k)*wall.StepS
		for i+1 < s.Len() && s.WallS[i+1] <= t {
			i++
		}
		at[k] = float64(i)
		if d := s.WallS[i+1] - s.WallS[i]; d > 0 {
			at[k] += min(1, max(0, t-s.WallS[i])/d)
		}
	}
	return at
}

// moveCounts moves counts of a page from other to page. slots has the page's counts in wall time; slot k lies between
// the places at[k] and at[k+1], in bins. The part of a slot's count that the columns known already have there is
// subtracted, and the rest is spread evenly over the slot's bins. Missing counts are skipped, and no bin falls below 0.
func moveCounts(page, other Values, known []Values, slots Values, at []float64) {
	for k, x := range slots {
		from, to := at[k], at[k+1]
		if !(to > from) || IsMissing(x) {
			continue
		}
		a, b := int(from), min(int(math.Ceil(to)), len(page))
		part := func(q int) float32 { return float32(min(to, float64(q+1)) - max(from, float64(q))) }
		for _, v := range known {
			for q := a; q < b; q++ {
				x -= v[q] * part(q)
			}
		}
		if IsMissing(x) { // there is a gap
			continue
		}
		x /= float32(to - from)
		for q := a; q < b; q++ {
			more := x * part(q)
			page[q], other[q] = max(0, page[q]+more), max(0, other[q]-more)
		}
	}
}
