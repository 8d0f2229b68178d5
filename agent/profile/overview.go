package profile

import (
	"cmp"
	"math"
	"slices"
)

// A run of more than a few hours is analysed with eight slots merged into one
// or more. So that it can be read without unpacking every slot, an overview
// stands behind the blocks of about ten seconds: a decimated block of all of
// them with the frame's kind 'O', which old readers skip. Its groups end where
// the number of a slot divides by eight, not eight slots after its first, so
// that groups of all overviews lie within samples of the set. Samples and hits
// are exact sums; steps of counters are rounded to 1/64 of the median step, of
// eight slots here; levels are means.
//
// An overview never says what its blocks do not: a reader uses it only if its blocks are present. Where the
// overview is missing (the agent was killed, a value was missing, a counter ran backwards) the blocks are read.

const (
	// overviewEvery is how many slots an overview merges.
	overviewEvery = 8
	// overviewSlots is how many slots it is of at most: at 200 Hz ten seconds,
	// and two of the largest blocks. Fewer would be more heads, and more take
	// longer to be read where the agent was killed.
	overviewSlots = 2048
	// minOverviewSlots is how many slots are worth one.
	minOverviewSlots = 8 * overviewEvery
	// overviewPages is how many pages it has; a set has as many.
	overviewPages = 16
	// maxTrackedPages is how many pages are added up to find those.
	maxTrackedPages = 512
	// mostLevel bounds levels, and what samples there may be in a block, so
	// that sums are exact.
	mostLevel, mostSamples = int64(1) << 52, 1 << 28
)

// overviewBuilder sums consecutive blocks into an overview. It reuses its memory.
type overviewBuilder struct {
	header    *Header
	first     int64
	slots     int
	values    []overviewColumn
	samples   []uint32
	sampled   bool
	pages     []overviewPage
	pageIndex map[uint64]int
	block     Block // clocks and counts of the last block, and memory of the whole
}

// overviewColumn collects a column: of a counter the value of the first slot and those at the ends of groups,
// of a level the sum over each group.
type overviewColumn struct {
	absent bool
	last   int64
	points []int64
}

// overviewPage is a page with its hits by group and in total.
type overviewPage struct {
	PageCount
	hits uint64
}

// newOverviewBuilder returns a builder for profiles with the header.
func newOverviewBuilder(h *Header) overviewBuilder {
	return overviewBuilder{header: h, values: make([]overviewColumn, len(h.Columns)), pageIndex: map[uint64]int{}}
}

// isSummable reports whether an overview can represent the block as well as a merged set does: no slots are
// merged, every column has all of its values or none, no counter falls, and the values are small enough for
// exact sums.
func (o *overviewBuilder) isSummable(b *Block) bool {
	if b.MergedSlots > 1 || b.Samples != nil && sum(b.Samples) > mostSamples {
		return false
	}
	for i, c := range b.Columns {
		absent := c[0] == NoValue
		for k, v := range c {
			switch {
			case (v == NoValue) != absent:
				return false
			case absent:
			case o.header.Columns[i].Gauge && (v > mostLevel || v < -mostLevel):
				return false
			case k > 0 && !o.header.Columns[i].Gauge && v < c[k-1]:
				return false
			}
		}
	}
	return true
}

// extends reports whether a summable block can be added to the present overview: it follows without a gap,
// fits, has the same columns with values and samples only if the overview has them, and no counter fell in
// between.
func (o *overviewBuilder) extends(b *Block) bool {
	if b.First != o.first+int64(o.slots) || o.slots+b.N > overviewSlots || o.sampled != (b.Samples != nil) {
		return false
	}
	for i, c := range b.Columns {
		v := &o.values[i]
		if v.absent != (c[0] == NoValue) || !v.absent && !o.header.Columns[i].Gauge && c[0] < v.last {
			return false
		}
	}
	return true
}

// groupIndex returns the group that a slot of the profile belongs to, 0 is the first.
func (o *overviewBuilder) groupIndex(slot int64) int {
	return int(slot/overviewEvery - o.first/overviewEvery)
}

// begin starts an overview at a block, without adding it.
func (o *overviewBuilder) begin(b *Block) {
	o.first, o.slots, o.sampled = b.First, 0, b.Samples != nil
	o.samples, o.pages = o.samples[:0], o.pages[:0]
	clear(o.pageIndex)
	for i, c := range b.Columns {
		v := &o.values[i]
		v.absent, v.points = c[0] == NoValue, v.points[:0]
		if o.leadingPoints() > 0 {
			v.points = append(v.points, c[0])
		}
	}
}

// leadingPoints returns how many points are stored before the first end of a group: 1 for the value of the
// first slot, 0 if that slot ends a group.
func (o *overviewBuilder) leadingPoints() int {
	if o.first%overviewEvery == overviewEvery-1 {
		return 0
	}
	return 1
}

// add adds a block for which isSummable and extends hold.
func (o *overviewBuilder) add(b *Block) {
	for i, c := range b.Columns {
		v := &o.values[i]
		switch {
		case v.absent:
		case o.header.Columns[i].Gauge:
			v.points = o.addLevels(v.points, b, c)
		default:
			v.points = appendEnds(v.points, b, c)
		}
		v.last = c[b.N-1]
	}
	o.addSamples(b)
	for _, p := range b.Pages {
		o.addPage(b, p)
	}
	o.slots += b.N
	o.block.RealNS, o.block.MonoNS, o.block.AgentCPUNS = b.RealNS, b.MonoNS, b.AgentCPUNS
}

// appendEnds appends the column's values at the ends of groups that end within the block.
func appendEnds(points []int64, b *Block, c []int64) []int64 {
	for i := int(overviewEvery - 1 - b.First%overviewEvery); i < b.N; i += overviewEvery {
		points = append(points, c[i])
	}
	return points
}

// addLevels adds the values of a level to the sums of their groups.
func (o *overviewBuilder) addLevels(points []int64, b *Block, c []int64) []int64 {
	for i, v := range c {
		g := o.groupIndex(b.First+int64(i)) + o.leadingPoints()
		if g == len(points) {
			points = append(points, 0)
		}
		points[g] += v
	}
	return points
}

// addSamples adds the numbers of code addresses in the slots of a block (Block.Samples) to the totals of their groups.
func (o *overviewBuilder) addSamples(b *Block) {
	for i, n := range b.Samples {
		g := o.groupIndex(b.First + int64(i))
		if g == len(o.samples) {
			o.samples = append(o.samples, 0)
		}
		o.samples[g] += n
	}
}

// addPage adds the hits of a page to its groups. Hits above 65,535 in a group count in no page, nor do those of
// new pages after the first maxTrackedPages.
func (o *overviewBuilder) addPage(b *Block, p PageCount) {
	at, ok := o.pageIndex[p.Key]
	if !ok {
		if len(o.pages) == maxTrackedPages {
			return
		}
		at = len(o.pages)
		o.pageIndex[p.Key] = at
		o.pages = slices.Grow(o.pages, 1)[:at+1] // with the memory that it had
		o.pages[at].Key, o.pages[at].hits = p.Key, 0
		o.pages[at].Counts = resize(o.pages[at].Counts, overviewSlots/overviewEvery+1)
		clear(o.pages[at].Counts)
	}
	counts := o.pages[at].Counts
	for i, n := range p.Counts {
		if n > 0 {
			g := o.groupIndex(b.First + int64(i))
			n = min(n, math.MaxUint16-counts[g])
			counts[g] += n
			o.pages[at].hits += uint64(n)
		}
	}
}

// finish returns the overview of the blocks added since begin, and starts empty again. It returns false if they have
// fewer than minOverviewSlots slots, which are not worth one. The next begin or add overwrites the overview.
func (o *overviewBuilder) finish() (Block, bool) {
	n := o.slots
	if o.slots = 0; n < minOverviewSlots {
		return Block{}, false
	}
	b := &o.block
	b.First, b.N, b.MergedSlots = o.first, n, overviewEvery
	b.overview, b.leadSlots = true, int(o.first%overviewEvery)
	b.Columns, b.Pages, b.Samples = b.Columns[:0], b.Pages[:0], nil
	for i := range o.values {
		b.Columns = append(b.Columns, o.values[i].finish(b, o.header.Columns[i].Gauge))
	}
	if o.sampled {
		b.Samples = o.samples
	}
	slices.SortFunc(o.pages, func(x, y overviewPage) int {
		return cmp.Or(cmp.Compare(y.hits, x.hits), cmp.Compare(x.Key, y.Key))
	})
	for _, p := range o.pages[:min(len(o.pages), overviewPages)] {
		b.Pages = append(b.Pages, PageCount{p.Key, p.Counts[:b.groupCount()]})
	}
	return *b, true
}

// finish returns the points of a column: for a level the mean of each group, for a counter its values at the
// ends of groups and, if the last group is incomplete, its last value. An absent column has NoValue everywhere.
func (v *overviewColumn) finish(b *Block, level bool) []int64 {
	switch points := b.pointsPerColumn(); {
	case v.absent:
		v.points = resize(v.points, points)
		fill(v.points, NoValue)
	case level:
		ahead := points - b.groupCount()
		for g := range b.groupCount() {
			from, to := b.groupSlots(g)
			v.points[g+ahead] = int64(math.Round(float64(v.points[g+ahead]) / float64(to-from)))
		}
		v.points[0] = v.points[ahead]
	case len(v.points) < points: // the last group is not whole
		v.points = append(v.points, v.last)
	}
	return v.points
}
