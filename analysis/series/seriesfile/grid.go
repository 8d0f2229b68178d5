package seriesfile

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"jobgait/analysis/note"
	"jobgait/analysis/series"
)

// A hole in the data costs grid, and one wrong time could ask for all memory:
// the grid may have slotsPerRow slots a row, or freeSlots if that is more.
const (
	slotsPerRow = 20
	freeSlots   = 4 << 20
)

// maxSteps bounds how many steps the median is taken of, spread over the file:
// beyond a million it does not move.
const maxSteps = 1 << 20

// grid puts the rows on a regular grid.
func (c *rows) grid(o Options) (Table, error) {
	var t Table
	order := c.order()
	if !c.sorted {
		t.Notes = append(t.Notes, note.New(note.Unsorted, "rows are not in the order of their times: they were sorted"))
	}
	rate := o.RateHz
	if !(rate > 0) {
		rate = c.rate(order)
	}
	slots := 0
	if c.n > 0 {
		span := 0.0
		if rate > 0 {
			span = math.Round((c.t[order(c.n-1)] - c.t[order(0)]) * rate)
		}
		if limit := float64(max(slotsPerRow*c.n, freeSlots/len(c.names))); !(span < limit) {
			return t, fmt.Errorf("%d rows span %.3g slots of %.3g s: give the rate, or mend the times", c.n, span+1, 1/rate)
		}
		slots = int(span) + 1
		t.Set.StartS = c.t[order(0)]
	}
	if rate > 0 {
		t.Set.StepS = 1 / rate
	} else {
		t.Notes = append(t.Notes, note.New(note.NoRate, "%s at one time: no rate of sampling", note.Count(c.n, "row")))
	}
	merged := 0
	for k, name := range c.names {
		col := series.Column{Name: name, Scope: series.JobScope}
		col.Values, merged = c.fill(k, slots, rate, order)
		c.v[k] = nil
		t.Set.Columns = append(t.Set.Columns, col)
		if math.IsNaN(c.offset[k]) {
			c.offset[k] = 0
		}
	}
	if merged > 0 {
		t.Notes = append(t.Notes, note.New(note.RowsAveraged, "%s in a slot of the grid that had one already: such rows are averaged", note.Count(merged, "row")))
	}
	t.Offsets = c.offset
	grouped(t.Set.Columns)
	return t, nil
}

// order returns the row that is the i-th in time; rows of one time keep their
// order.
func (c *rows) order() func(int) int {
	if c.sorted {
		return func(i int) int { return i }
	}
	at := make([]int, c.n)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(c.t[i], c.t[j]) })
	return func(i int) int { return at[i] }
}

// rate is 1 / median step, 0 if no time differs from the one before, made exact
// over the whole span. A rate within a millionth of a whole number is that number:
// times are printed with few digits.
func (c *rows) rate(order func(int) int) float64 {
	stride := max(1, c.n/maxSteps)
	var steps []float64
	for i := 1; i < c.n; i += stride {
		if d := c.t[order(i)] - c.t[order(i-1)]; d > 0 {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	rate := c.exact(order, 2/(steps[(len(steps)-1)/2]+steps[len(steps)/2]))
	if whole := math.Round(rate); whole > 0 && math.Abs(rate/whole-1) < 1e-6 {
		return whole
	}
	return rate
}

// exact counts the slots between the first and the last row at a rate, step by
// step, and returns the rate that makes so many of the whole span. Times since
// 1970 have a resolution of 0.2 us: a rate from one step of 5 ms is off by a slot
// in two minutes; times in milliseconds make 58.8 Hz of 60. A rate that would
// move by more than a thousandth stays unless the rows then lie on the grid: the
// steps are no multiples of one.
func (c *rows) exact(order func(int) int, rate float64) float64 {
	slots := 0.0
	first := c.t[order(0)]
	last := first
	for i := 1; i < c.n; i++ {
		t := c.t[order(i)]
		slots += math.Round((t - last) * rate)
		last = t
	}
	r := slots / (last - first)
	if math.Abs(r/rate-1) < 1e-3 || math.Abs(r/rate-1) < 0.2 && c.off(order, r) < 0.1 {
		return r
	}
	return rate
}

// off is how far the rows are from the slots of a rate, on average, in slots: at
// a wrong rate a quarter.
func (c *rows) off(order func(int) int, rate float64) float64 {
	first, sum := c.t[order(0)], 0.0
	for i := range c.n {
		x := (c.t[order(i)] - first) * rate
		sum += math.Abs(x - math.Round(x))
	}
	return sum / float64(c.n)
}

// fill returns the samples of column k on the grid, and how many rows fell into
// a slot that had one.
func (c *rows) fill(k, slots int, rate float64, order func(int) int) (series.Values, int) {
	out := make(series.Values, slots)
	for i := range out {
		out[i] = series.Missing()
	}
	if c.n == 0 {
		return out, 0
	}
	first, merged := c.t[order(0)], 0
	at, sum, count := -1, 0.0, 0
	for i := range c.n {
		row := order(i)
		slot := int(math.Round((c.t[row] - first) * rate))
		v := c.v[k][row]
		if slot != at {
			at, sum, count = slot, 0, 0
		} else {
			merged++
		}
		if v == v {
			count++
			sum += float64(v)
			out[slot] = float32(sum / float64(count))
		}
	}
	return out, merged
}
