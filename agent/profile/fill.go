package profile

import "math"

// filler puts blocks, which come in the order of their slots, into the columns
// of a set.
type filler struct {
	layout
	busy, other *lane
	hot         []*lane        // of the pages
	columns     []*lane        // of the header's columns, nil for one that is left out
	place       map[uint64]int // of a page in pages
	met         []int          // number of the block that last hit the page
	blocks      int            // with code addresses
	rest        []float64      // samples of a block in none of the pages
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

// add puts one block, or the overview of some: its counts and steps are of groups
// of slots then. Blocks behind the end are of a profile that has grown since it was
// surveyed, and stay out.
func (f *filler) add(b *Block) {
	at := b.First - f.first
	if at < 0 || at+int64(b.N) > f.slots {
		return
	}
	if b.Samples != nil {
		f.rates.count(b, f.taken)
		if f.coded {
			f.code(b, at)
		}
	}
	for i, c := range f.header.Columns {
		values := b.Columns[i]
		switch l := f.columns[i]; {
		case l == nil: // left out
		case c.Gauge:
			f.level(l, b, at, values)
		default:
			f.rate(l, b, at, values, f.valueBefore(i, b.First))
		}
		f.before[i] = values[len(values)-1]
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

// ends are the values at the ends of a block's groups. An overview may have that of
// its first slot before them.
func (b *Block) ends(values []int64) []int64 {
	if b.overview {
		return values[len(values)-b.groups():]
	}
	return values
}

func (f *filler) level(l *lane, b *Block, at int64, values []int64) {
	values = b.ends(values)
	f.buf = resize(f.buf, len(values))
	for i, v := range values {
		f.buf[i] = math.NaN()
		if v != NoValue {
			f.buf[i] = float64(v)
		}
	}
	if b.overview {
		for g := range f.buf {
			from, to := b.group(g)
			f.buf[g] *= float64(to - from)
		}
	}
	l.put(b, at, 0, f.buf)
}

// rate puts differences over the step. A counter never runs backwards: one that does was reset, and its count
// in that slot is unknown.
func (f *filler) rate(l *lane, b *Block, at int64, values []int64, last int64) {
	ends, skip := b.ends(values), 0
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
	l.put(b, at, skip, f.buf)
}

// code puts the code addresses of a block.
func (f *filler) code(b *Block, at int64) {
	perSample := 1e9 / (f.fullHz * float64(f.header.StepNS))
	f.rest, f.buf = resize(f.rest, len(b.Samples)), resize(f.buf, len(b.Samples))
	for i, n := range b.Samples {
		f.rest[i] = float64(n)
	}
	f.scale(b, f.rest)
	for i, n := range f.rest {
		f.buf[i] = n * perSample
	}
	f.busy.put(b, at, 0, f.buf)
	if len(f.pages) == 0 {
		return
	}
	f.blocks++
	for _, p := range b.Pages {
		k, ok := f.place[p.Key]
		if !ok || f.met[k] == f.blocks {
			continue
		}
		f.met[k] = f.blocks
		for i, c := range p.Counts {
			f.buf[i] = float64(c)
		}
		f.scale(b, f.buf)
		for i, c := range f.buf {
			f.rest[i] -= c
		}
		f.hot[k].put(b, at, 0, f.buf)
	}
	clear(f.buf)
	f.scale(b, f.buf)
	for k, met := range f.met {
		if met != f.blocks { // too rare in this second to be listed
			f.hot[k].put(b, at, 0, f.buf)
		}
	}
	for i, v := range f.rest {
		f.rest[i] = max(v, 0)
	}
	f.other.put(b, at, 0, f.rest)
}

// scale makes counts what they would be at the highest rate, NaN where the rate
// was 0. In a decimated block it makes them even: they were spread in whole
// numbers, which repeat.
func (f *filler) scale(b *Block, counts []float64) {
	if b.Every > 1 && !b.overview {
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
	f.rates.within(b, func(from, to, _, rate int) {
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
