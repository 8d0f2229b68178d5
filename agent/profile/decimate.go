package profile

import "math"

// A decimated block has of every column the value of its first slot and then
// that at the end of every group of Every slots; the last group may be shorter.
// Samples and the counts of pages are sums over groups. Totals are therefore
// what they were, and rates their means over a group; shorter periods are gone.

// groupCount returns the number of groups of merged slots: the number of slots if none are merged.
func (b *Block) groupCount() int {
	if b.MergedSlots <= 1 {
		return b.N
	}
	return (b.leadSlots + b.N + b.MergedSlots - 1) / b.MergedSlots
}

// pointsPerColumn returns how many values are stored for every column: one for each group, and one more for the
// first slot unless that is a group by itself.
func (b *Block) pointsPerColumn() int {
	if b.MergedSlots <= 1 {
		return b.N
	}
	if _, to := b.groupSlots(0); to == 1 {
		return b.groupCount() // the first slot is the end of a group
	}
	return b.groupCount() + 1
}

// groupSlots returns the slots of group g: from up to but not including to.
func (b *Block) groupSlots(g int) (from, to int) {
	return max(g*b.MergedSlots-b.leadSlots, 0), min((g+1)*b.MergedSlots-b.leadSlots, b.N)
}

// slotsPerCount returns how many slots each count of a decoded block covers: 1, except for an overview, which
// keeps its groups.
func (b *Block) slotsPerCount() int {
	if b.overview {
		return b.MergedSlots
	}
	return 1
}

// merger makes blocks with merged slots, in memory that it reuses.
type merger struct {
	columns [][]int64
	samples []uint32
	pages   []PageCount
}

// merge returns the block with each group of consecutive slots merged into one slot; every is the number of
// slots in a group. A column keeps its first value and the last one of each group; samples and hits are
// summed, up to the largest value of their type. The result is valid until the next call.
func (m *merger) merge(b Block, every int) Block {
	b.MergedSlots = every
	for len(m.columns) < len(b.Columns) {
		m.columns = append(m.columns, nil)
	}
	for len(m.pages) < len(b.Pages) {
		m.pages = append(m.pages, PageCount{})
	}
	for i, c := range b.Columns {
		out := append(m.columns[i][:0], c[0])
		for g := range b.groupCount() {
			if _, to := b.groupSlots(g); to > 1 {
				out = append(out, c[to-1])
			}
		}
		m.columns[i] = out
	}
	if b.Samples != nil {
		m.samples = sumGroups(m.samples[:0], &b, b.Samples, math.MaxUint32)
		b.Samples = m.samples
	}
	for i, p := range b.Pages {
		m.pages[i] = PageCount{p.Key, sumGroups(m.pages[i].Counts[:0], &b, p.Counts, math.MaxUint16)}
	}
	b.Columns, b.Pages = m.columns[:len(b.Columns)], m.pages[:len(b.Pages)]
	return b
}

// sumGroups appends the sum of each group of slots to dst, limited to maxSum. The hits of a page above this limit
// count among the samples of no page.
func sumGroups[T uint16 | uint32](dst []T, b *Block, values []T, maxSum uint64) []T {
	for g := range b.groupCount() {
		from, to := b.groupSlots(g)
		dst = append(dst, T(min(sum(values[from:to]), maxSum)))
	}
	return dst
}

// restoreGrid expands a block with merged slots, just decoded, to one value per slot: columns are interpolated,
// sums spread evenly.
func (b *Block) restoreGrid() {
	if b.MergedSlots <= 1 {
		return
	}
	for _, c := range b.Columns {
		b.interpolateColumn(c)
	}
	if b.Samples != nil {
		spreadSums(b, b.Samples)
	}
	for _, p := range b.Pages {
		spreadSums(b, p.Counts)
	}
}

// interpolateColumn moves the values of a column to the ends of their groups, from the last one down, and
// interpolates linearly between them.
func (b *Block) interpolateColumn(c []int64) {
	for g := b.groupCount() - 1; g >= 0; g-- {
		from, to := b.groupSlots(g)
		last := c[0]
		if to > 1 {
			last = c[g+1]
		}
		before, start := c[g], from-1 // where group g-1 ends
		if g == 0 {
			start = 0
		}
		for i := to - 1; i > start; i-- {
			c[i] = lineValue(before, last, i-start, to-1-start)
		}
	}
}

// lineValue returns the value at step i of n on the straight line from a to b; NoValue if an end has no value.
func lineValue(a, b int64, i, n int) int64 {
	switch {
	case i == n:
		return b
	case a == NoValue || b == NoValue:
		return NoValue
	}
	d := b - a
	return a + d/int64(n)*int64(i) + d%int64(n)*int64(i)/int64(n)
}

// spreadSums replaces the sums of groups by one value for each slot: the sum of each group spread evenly, in
// whole numbers that add up to it.
func spreadSums[T uint16 | uint32](b *Block, values []T) {
	for g := b.groupCount() - 1; g >= 0; g-- {
		from, to := b.groupSlots(g)
		total, n := uint64(values[g]), uint64(to-from)
		for i := to - 1; i >= from; i-- {
			k := uint64(i - from)
			values[i] = T(total*(k+1)/n - total*k/n)
		}
	}
}
