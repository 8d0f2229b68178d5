package profile

import "math"

// filler adds blocks, in the order of their slots, to the columns of a set.
type filler struct {
	layout
	busy, other  *columnBuilder
	pageColumns  []*columnBuilder // of the pages
	columns      []*columnBuilder // of the header's columns; nil if left out
	pageIndex    map[uint64]int   // number of each page in pages
	lastHitBlock []int            // the last block with hits of each page
	blocks       int              // number of blocks with code addresses so far
	unlisted     []float64        // samples of a block outside of pages
	buf          []float64
	sampledAt    []rateTally // samples and slots at each rate
	// previousValues are the columns at the end of slot previousEnd-1.
	previousValues []int64
	previousEnd    int64
}

// newFiller returns a filler with empty columns for a layout.
func newFiller(l layout) *filler {
	n := l.sampleCount()
	f := &filler{layout: l, pageIndex: l.pageIndexes(), lastHitBlock: make([]int, len(l.pages)),
		sampledAt:      make([]rateTally, len(l.rates)),
		previousValues: make([]int64, len(l.header.Columns)), previousEnd: -1}
	if l.hasCode {
		f.busy = newColumnBuilder(n, l.merge, false)
	}
	for range l.pages {
		f.pageColumns = append(f.pageColumns, newColumnBuilder(n, l.merge, true))
	}
	if len(l.pages) > 0 {
		f.other = newColumnBuilder(n, l.merge, true)
	}
	for _, c := range l.header.Columns {
		if l.header.isSlow(c) {
			f.columns = append(f.columns, newColumnBuilder(l.slots/l.slowMerge(), l.slowMerge(), false))
		} else {
			f.columns = append(f.columns, newColumnBuilder(n, l.merge, false))
		}
	}
	return f
}

// slowMerge returns how many slots are merged into one sample of a column that is read seldom: as many as for the
// other columns, doubled until a sample lasts at least one second.
func (l layout) slowMerge() int64 {
	n := l.merge
	for ; n*l.header.StepNS < 1e9; n *= 2 {
	}
	return n
}

// slowS returns the step in seconds of the columns that are read seldom.
func (l layout) slowS() float64 { return float64(l.slowMerge()*l.header.StepNS) / 1e9 }

// add adds a block, or an overview, whose values cover groups of slots, to the columns of the set. It ignores blocks
// outside the slots of the layout, such as those written after the survey.
func (f *filler) add(b *Block) {
	at := b.First - f.first
	if at < 0 || at+int64(b.N) > f.slots {
		return
	}
	if b.Samples != nil {
		f.rates.addBlock(b, f.sampledAt)
		if f.hasCode {
			f.addCode(b, at)
		}
	}
	for i, c := range f.header.Columns {
		values := b.Columns[i]
		switch l := f.columns[i]; {
		case l == nil: // left out
		case c.Gauge:
			f.addLevel(l, b, at, values)
		default:
			f.addRate(l, b, at, values, f.valueBefore(i, b.First))
		}
		f.previousValues[i] = values[len(values)-1]
	}
	f.previousEnd = b.First + int64(b.N)
}

// valueBefore returns the value of a column at the start of a slot, NoValue if the previous block did not end
// there.
func (f *filler) valueBefore(column int, slot int64) int64 {
	if slot != f.previousEnd {
		return NoValue
	}
	return f.previousValues[column]
}

// groupEnds returns the values of a column without the value of the first slot that an overview may have before those
// at the ends of its groups. Of a block that is not an overview it returns all values.
func (b *Block) groupEnds(values []int64) []int64 {
	if b.overview {
		return values[len(values)-b.groupCount():]
	}
	return values
}

// addLevel adds the values of a level (gauge) to its column; those of an overview are weighted by the slots of
// their groups.
func (f *filler) addLevel(l *columnBuilder, b *Block, at int64, values []int64) {
	values = b.groupEnds(values)
	f.buf = resize(f.buf, len(values))
	for i, v := range values {
		f.buf[i] = math.NaN()
		if v != NoValue {
			f.buf[i] = float64(v)
		}
	}
	if b.overview {
		for g := range f.buf {
			from, to := b.groupSlots(g)
			f.buf[g] *= float64(to - from)
		}
	}
	l.addBlock(b, at, 0, f.buf)
}

// addRate adds a counter to its column as a rate per second: the difference of each value from the one before, over the
// step. The rate is missing if one of the two is missing, or if the counter fell, because it was reset. last is the
// value before the block, NoValue if unknown; at is the block's first slot in the column. An overview whose last is
// unknown starts from its own first value and leaves out the first slot.
func (f *filler) addRate(l *columnBuilder, b *Block, at int64, values []int64, last int64) {
	ends, skip := b.groupEnds(values), 0
	if first := values[0]; b.overview && (last == NoValue || last > first) {
		last, skip = first, 1 // the first slot is not known, the rest of its group is
	}
	perS := 1e9 / float64(f.header.StepNS)
	f.buf = resize(f.buf, len(ends))
	for i, v := range ends {
		f.buf[i] = math.NaN()
		if last != NoValue && v >= last { // so that v is a value too
			f.buf[i] = float64(uint64(v)-uint64(last)) * perS
		}
		last = v
	}
	l.addBlock(b, at, skip, f.buf)
}

// addCode adds the code addresses of a block, scaled to the highest rate of the run, to the columns of the busy CPUs,
// of the pages that have one, and of other code, which gets the samples of no such page. A page that the block does not
// list gets 0. at is the block's first slot in the columns.
func (f *filler) addCode(b *Block, at int64) {
	perSample := 1e9 / (f.fullHz * float64(f.header.StepNS))
	f.unlisted, f.buf = resize(f.unlisted, len(b.Samples)), resize(f.buf, len(b.Samples))
	for i, n := range b.Samples {
		f.unlisted[i] = float64(n)
	}
	f.scaleToFullRate(b, f.unlisted)
	for i, n := range f.unlisted {
		f.buf[i] = n * perSample
	}
	f.busy.addBlock(b, at, 0, f.buf)
	if len(f.pages) == 0 {
		return
	}
	f.blocks++
	for _, p := range b.Pages {
		k, ok := f.pageIndex[p.Key]
		if !ok || f.lastHitBlock[k] == f.blocks {
			continue
		}
		f.lastHitBlock[k] = f.blocks
		for i, c := range p.Counts {
			f.buf[i] = float64(c)
		}
		f.scaleToFullRate(b, f.buf)
		for i, c := range f.buf {
			f.unlisted[i] -= c
		}
		f.pageColumns[k].addBlock(b, at, 0, f.buf)
	}
	clear(f.buf)
	f.scaleToFullRate(b, f.buf)
	for k, met := range f.lastHitBlock {
		if met != f.blocks { // too rare in this second to be listed
			f.pageColumns[k].addBlock(b, at, 0, f.buf)
		}
	}
	for i, v := range f.unlisted {
		f.unlisted[i] = max(v, 0)
	}
	f.other.addBlock(b, at, 0, f.unlisted)
}

// scaleToFullRate scales counts to what they would be at the highest rate of the run, NaN where the rate was 0.
// In a block with merged slots it also replaces the counts of each group by their mean: they were spread in
// whole numbers, and that pattern repeats.
func (f *filler) scaleToFullRate(b *Block, counts []float64) {
	if b.MergedSlots > 1 && !b.overview {
		for g := range b.groupCount() {
			from, to := b.groupSlots(g)
			mean := 0.0
			for _, c := range counts[from:to] {
				mean += c / float64(to-from)
			}
			for i := range counts[from:to] {
				counts[from+i] = mean
			}
		}
	}
	if len(f.rates) == 1 {
		return
	}
	f.rates.eachRate(b, func(from, to, _, rate int) {
		hz := f.rates[rate].hz
		for i := range counts[from:to] {
			if hz > 0 {
				counts[from+i] *= f.fullHz / hz
			} else {
				counts[from+i] = math.NaN()
			}
		}
	})
}
