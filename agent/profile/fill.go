package profile

import (
	"iter"
	"math"
	"math/bits"

	"jobgait/analysis/series"
)

// filler puts blocks, which come in the order of their slots, into the columns
// of a set.
type filler struct {
	layout
	busy, other *lane
	hot         []*lane // of the pages
	columns     []*lane
	place       map[uint64]int // of a page in pages
	met         []int          // number of the block that last hit the page
	blocks      int
	rest        []float64 // samples of a block in none of the pages
	left        []int64   // the same, where they are whole
	buf         []float64
	taken       []atRate // at each rate
	// before are the columns at the end of slot until-1.
	before []int64
	until  int64
}

func newFiller(l layout) *filler {
	n := l.samples()
	f := &filler{layout: l, place: l.places(), met: make([]int, len(l.pages)), taken: make([]atRate, len(l.rates)),
		before: make([]int64, len(l.header.Columns)), until: -1}
	if l.coded {
		f.busy = newLane(n, l.merge, false)
	}
	for range l.pages {
		f.hot = append(f.hot, newLane(n, l.merge, true))
	}
	if len(l.pages) > 0 {
		f.other = newLane(n, l.merge, true)
	}
	for _, c := range l.header.Columns {
		if l.header.slow(c) {
			f.columns = append(f.columns, newLane(l.slots/l.slowMerge(), l.slowMerge(), false))
		} else {
			f.columns = append(f.columns, newLane(n, l.merge, false))
		}
	}
	return f
}

// slowMerge is how many slots make one sample of the columns that are read
// seldom: a second or a little more, and as many as of the others at least.
func (l layout) slowMerge() int64 {
	n := l.merge
	for ; n*l.header.StepNS < 1e9; n *= 2 {
	}
	return n
}

func (l layout) slowS() float64 { return float64(l.slowMerge()*l.header.StepNS) / 1e9 }

// add puts one block. Blocks behind the end are of a profile that has grown
// since it was surveyed, and stay out.
func (f *filler) add(b *Block) {
	at := b.First - f.first
	if at < 0 || at+int64(b.N) > f.slots {
		return
	}
	f.blocks++
	if b.overview {
		f.addOverview(b, at)
		return
	}
	f.rates.count(b, f.taken)
	switch {
	case b.Samples == nil || !f.coded:
	case f.merge == 1 && b.Every <= 1 && len(f.rates) == 1:
		f.codeDirect(b, at)
	default:
		f.code(b, at)
	}
	for i, c := range f.header.Columns {
		if c.Gauge {
			f.level(f.columns[i], b.Columns[i], at)
		} else {
			f.rate(f.columns[i], b.Columns[i], at, f.valueBefore(i, b.First))
		}
		f.before[i] = b.Columns[i][b.N-1]
	}
	f.until = b.First + int64(b.N)
}

// valueBefore returns the value of a column where a slot begins.
func (f *filler) valueBefore(column int, slot int64) int64 {
	if slot != f.until {
		return NoValue
	}
	return f.before[column]
}

func (f *filler) level(l *lane, values []int64, at int64) {
	out := resize(f.buf, len(values))
	for i, v := range values {
		out[i] = math.NaN()
		if v != NoValue {
			out[i] = float64(v)
		}
	}
	f.buf = out
	l.put(at, out)
}

// rate puts differences over the step. A counter never runs backwards: where
// one does, it began anew, and what it counted in that slot is not known.
func (f *filler) rate(l *lane, values []int64, at, last int64) {
	perS := 1e9 / float64(f.header.StepNS)
	if l.merge == 1 {
		out := l.out[at:][:len(values)]
		for i, v := range values {
			if last != NoValue && v >= last {
				out[i] = float32(float64(uint64(v)-uint64(last)) * perS)
			}
			last = v
		}
		return
	}
	out := resize(f.buf, len(values))
	for i, v := range values {
		out[i] = math.NaN()
		if last != NoValue && v >= last { // so that v is a value too
			out[i] = float64(uint64(v)-uint64(last)) * perS
		}
		last = v
	}
	f.buf = out
	l.put(at, out)
}

// listed yields the counts of those pages that have a lane, by lane. The lanes
// that are met in a block have its number afterwards.
func (f *filler) listed(b *Block) iter.Seq2[int, []uint16] {
	return func(yield func(int, []uint16) bool) {
		for _, p := range b.Pages {
			k, ok := f.place[p.Key]
			if !ok || f.met[k] == f.blocks {
				continue
			}
			f.met[k] = f.blocks
			if !yield(k, p.Counts) {
				return
			}
		}
	}
}

// code puts the code addresses of a block.
func (f *filler) code(b *Block, at int64) {
	perSample := 1e9 / (f.fullHz * float64(f.header.StepNS))
	f.rest, f.buf = resize(f.rest, b.N), resize(f.buf, b.N)
	for i, n := range b.Samples {
		f.rest[i] = float64(n)
	}
	f.scale(b, f.rest)
	for i, n := range f.rest {
		f.buf[i] = n * perSample
	}
	f.busy.put(at, f.buf)
	if len(f.pages) == 0 {
		return
	}
	for k, counts := range f.listed(b) {
		for i, c := range counts {
			f.buf[i] = float64(c)
		}
		f.scale(b, f.buf)
		for i, c := range f.buf {
			f.rest[i] -= c
		}
		f.hot[k].put(at, f.buf)
	}
	clear(f.buf)
	f.scale(b, f.buf)
	for k, met := range f.met {
		if met != f.blocks { // too rare in this second to be listed
			f.hot[k].put(at, f.buf)
		}
	}
	for i, v := range f.rest {
		f.rest[i] = max(v, 0)
	}
	f.other.put(at, f.rest)
}

// scale makes counts per slot what they would be at the highest rate, NaN where
// the rate was 0. In a decimated block it makes them even: they were spread in
// whole numbers, which repeat.
func (f *filler) scale(b *Block, counts []float64) {
	if b.Every > 1 {
		for g := range b.groups() {
			from, to := b.group(g)
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
	f.rates.within(b, func(from, to, rate int) {
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

// lane is one column in the making. Merged slots are averaged over those that
// have a value, or added up if all have one: a sum with a hole in it would
// look like a slow iteration.
type lane struct {
	out   series.Values
	merge int64
	shift int // of merge, a power of two
	add   bool
	at    int64 // sample under way
	n     int64
	sum   float64
}

func newLane(n, merge int64, add bool) *lane {
	l := &lane{out: make(series.Values, n), merge: merge, shift: bits.TrailingZeros64(uint64(merge)), add: add}
	fillMissing(l.out)
	return l
}

func fillMissing(values series.Values) {
	missing := series.Missing()
	for i := range values {
		values[i] = missing
	}
}

// put gives the slots from i on their values, NaN for a missing one; slots come
// in ascending order.
func (l *lane) put(i int64, values []float64) {
	if l.merge == 1 {
		for k, v := range values {
			l.out[i+int64(k)] = float32(v)
		}
		return
	}
	for len(values) > 0 {
		at := i >> l.shift
		if at != l.at {
			l.flush()
			l.at = at
		}
		n := min(int64(len(values)), (at+1)<<l.shift-i)
		for _, v := range values[:n] {
			if !math.IsNaN(v) {
				l.sum += v
				l.n++
			}
		}
		values, i = values[n:], i+n
	}
}

// flush ends the sample under way.
func (l *lane) flush() {
	if l.at < int64(len(l.out)) && l.n > 0 {
		switch {
		case !l.add:
			l.out[l.at] = float32(l.sum / float64(l.n))
		case l.n == l.merge:
			l.out[l.at] = float32(l.sum)
		}
	}
	l.n, l.sum = 0, 0
}

// done returns the column.
func (l *lane) done() series.Values {
	if l.merge > 1 {
		l.flush()
	}
	return l.out
}
