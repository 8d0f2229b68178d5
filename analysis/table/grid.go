package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"jobgait/analysis/note"
	"jobgait/analysis/quantity"
	"jobgait/analysis/series"
)

// Limits for the slots of the grid, because a gap in the data needs slots and one wrong time could need all
// memory: slotsPerRow slots a row, or freeSlots if that is more.
const (
	slotsPerRow = 20
	freeSlots   = 4 << 20
)

// maxSteps is the most steps, distributed over the file, of which the median is taken.
const maxSteps = 1 << 17

// grid moves the rows to a regular grid at the rate of o, or without one at the rate of the rows' times. It sorts rows
// that are out of order and averages rows that fall into one step, each with a note. Rows that span too many steps are
// an error.
func (c *sampleTable) grid(o SampleOptions) (Samples, error) {
	var s Samples
	if !c.sorted {
		c.sort()
		s.Notes = append(s.Notes, note.New(note.Unsorted,
			"the %d rows were not in the order of their times: they were sorted before use; the file is unchanged", c.n))
	}
	rate := o.RateHz
	if !(rate > 0) {
		rate = c.rate()
	}
	slots := 0
	if c.n > 0 {
		span := c.t.at(c.n-1) - c.t.at(0)
		if rate > 0 || math.IsInf(span, 0) {
			span = math.Round(span * rate)
		} else {
			span = 0
		}
		if limit := float64(max(slotsPerRow*c.n, freeSlots/len(c.kept))); !(span < limit) {
			return s, fmt.Errorf("the %d rows span %.3g steps of %.3g s, too many: give the rate with --rate, or correct the "+
				"times", c.n, span+1, 1/rate)
		}
		slots = int(span) + 1
		s.Set.StartS = c.t.at(0)
	}
	if rate > 0 {
		s.Set.StepS = 1 / rate
	} else {
		s.Notes = append(s.Notes, note.New(note.NoRate,
			"no time differs from the one before (%s): the sampling rate is unknown: give it with --rate",
			quantity.Plural(c.n, "row")))
	}
	merged := 0
	for k, i := range c.kept {
		col := series.Column{Name: c.names[i], Scope: series.JobScope}
		col.Values, merged = c.fill(k, slots, rate)
		c.v[k] = floats{}
		s.Set.Columns = append(s.Set.Columns, col)
		if math.IsNaN(c.offset[k]) {
			c.offset[k] = 0
		}
	}
	if merged > 0 {
		s.Notes = append(s.Notes, note.New(note.RowsAveraged,
			"the values of rows in one time step are averaged: %s fell into a step that already had one",
			quantity.Plural(merged, "row")))
	}
	s.Offsets = c.offset
	setGroups(s.Set.Columns)
	return s, nil
}

// sort sorts the rows by time; rows of one time keep their order.
func (c *sampleTable) sort() {
	order := make([]int, c.n)
	t := make([]float64, 0, c.n)
	buffer := make([]float64, timesPerPiece)
	c.t.eachPiece(func(_ int, piece *timePiece) { t = append(t, piece.seconds(buffer)...) })
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(t[i], t[j]) })
	c.t = times{}
	for _, i := range order {
		c.t.add(t[i])
	}
	for k := range c.v {
		var sorted floats
		for _, i := range order {
			sorted.add(c.v[k].at(i))
		}
		c.v[k] = sorted
	}
	c.sorted = true
}

// rate returns the sampling rate in Hz: 1 / median step, made exact over the whole span; 0 if no time differs
// from the one before. A rate within a millionth of a whole number is that number: times are printed with few
// digits.
func (c *sampleTable) rate() float64 {
	stride := max(1, c.n/maxSteps)
	var steps []float64
	for i := 1; i < c.n; i += stride {
		if d := c.t.at(i) - c.t.at(i-1); d > 0 {
			steps = append(steps, d)
		}
	}
	if len(steps) == 0 {
		return 0
	}
	slices.Sort(steps)
	rate := c.exactRate(2 / (steps[(len(steps)-1)/2] + steps[len(steps)/2]))
	if whole := math.Round(rate); whole > 0 && math.Abs(rate/whole-1) < 1e-6 {
		return whole
	}
	return rate
}

// isNearWhole reports whether x is so near to a whole number that rounding errors do not change its nearest.
func isNearWhole(x float64) bool { return math.Abs(x-nearest(x)) < 0.25 }

// consecutive returns the slot of the first time of a piece on a grid that begins at the time first and has rate slots
// a second. ok is false unless the times of the piece have equal steps and lie in consecutive slots.
func (p *timePiece) consecutive(first, rate float64) (slot int, ok bool) {
	if _, ok := p.step(); !ok {
		return 0, false
	}
	n := p.len()
	begin, end := (p.at(0)-first)*rate, (p.at(n-1)-first)*rate
	from := nearest(begin)
	// Times of one step lie on a line: if both ends are near their slots, so are all between them.
	return int(from), isNearWhole(begin) && isNearWhole(end) && nearest(end)-from == float64(n-1)
}

// nearest rounds to a whole number; unlike math.Round it is one machine instruction.
func nearest(x float64) float64 { return math.Floor(x + 0.5) }

// exactRate corrects a sampling rate in Hz that was taken from single steps: times in milliseconds make 58.8 Hz of 60.
// It counts the slots between the first and the last row, step by step, and divides their number by the whole span. If
// the result differs from rate by more than a thousandth, it is used only if it differs by less than a fifth and the
// rows lie on its grid. Otherwise rate is returned.
func (c *sampleTable) exactRate(rate float64) float64 {
	slots := 0.0
	first := c.t.at(0)
	last := first
	buffer := make([]float64, timesPerPiece)
	c.t.eachPiece(func(_ int, piece *timePiece) {
		if step, ok := piece.step(); ok && isNearWhole(step*rate) {
			slots += nearest((piece.at(0)-last)*rate) + float64(piece.len()-1)*nearest(step*rate)
			last = piece.at(piece.len() - 1)
			return
		}
		for _, t := range piece.seconds(buffer) {
			slots += nearest((t - last) * rate)
			last = t
		}
	})
	r := slots / (last - first)
	if math.Abs(r/rate-1) < 1e-3 || math.Abs(r/rate-1) < 0.2 && c.meanOffset(r) < 0.1 {
		return r
	}
	return rate
}

// meanOffset returns the mean distance of the rows from the slots of a rate, in slots: a quarter at a wrong
// rate.
func (c *sampleTable) meanOffset(rate float64) float64 {
	first, sum := c.t.at(0), 0.0
	buffer := make([]float64, timesPerPiece)
	c.t.eachPiece(func(_ int, piece *timePiece) {
		for _, t := range piece.seconds(buffer) {
			x := (t - first) * rate
			sum += math.Abs(x - nearest(x))
		}
	})
	return sum / float64(c.n)
}

// fill returns the samples of kept column k on the grid, each the mean of the values of its rows. It also returns how
// many rows fell into a slot that already had a row.
func (c *sampleTable) fill(k, slots int, rate float64) (series.Values, int) {
	out := make(series.Values, slots)
	known := 0 // slots that have their value
	setMissing := func(end int) {
		for ; known < end; known++ {
			out[known] = series.Missing()
		}
	}
	if c.n == 0 {
		setMissing(slots)
		return out, 0
	}
	first, merged := c.t.at(0), 0
	at, sum, count := -1, 0.0, 0
	buffer := make([]float64, timesPerPiece)
	c.t.eachPiece(func(begin int, piece *timePiece) {
		if slot, ok := piece.consecutive(first, rate); ok && slot > at {
			setMissing(slot)
			n := copy(out[slot:], c.v[k].run(begin, piece.len()))
			known = slot + n
			at, sum, count = slot+n-1, 0, 0
			if v := out[at]; !series.IsMissing(v) {
				sum, count = float64(v), 1
			}
			return
		}
		for i, t := range piece.seconds(buffer) {
			slot := int(nearest((t - first) * rate))
			v := c.v[k].at(begin + i)
			setMissing(slot + 1)
			if slot != at {
				at, sum, count = slot, 0, 0
			} else {
				merged++
			}
			if !series.IsMissing(v) {
				count++
				sum += float64(v)
				out[slot] = float32(sum / float64(count))
			}
		}
	})
	setMissing(slots)
	return out, merged
}

// setGroups sets the group of columns named GROUP:NAME, if at least two have it. The pages of a profile that
// was exported are found again that way. The columns of the group "code" get the unit "samples".
func setGroups(cols []series.Column) {
	members := map[string]int{}
	group := func(name string) string {
		g, _, ok := strings.Cut(name, ":")
		if !ok {
			return ""
		}
		return g
	}
	for _, c := range cols {
		members[group(c.Name)]++
	}
	for i, c := range cols {
		if g := group(c.Name); g != "" && members[g] > 1 {
			cols[i].Group = g
			if g == "code" {
				cols[i].Unit = "samples"
			}
		}
	}
}
