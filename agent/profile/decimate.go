package profile

import "math"

// A decimated block has of every column the value of its first slot and then
// that at the end of every group of Every slots; the last group may be shorter.
// Samples and the counts of pages are sums over groups. Totals are therefore
// what they were, and rates their means over a group; shorter periods are gone.

// groups is how many sums there are of every page.
func (b *Block) groups() int {
	if b.Every <= 1 {
		return b.N
	}
	return (b.lead + b.N + b.Every - 1) / b.Every
}

// points is how many values there are of every column.
func (b *Block) points() int {
	if b.Every <= 1 {
		return b.N
	}
	if _, to := b.group(0); to == 1 {
		return b.groups() // the first slot is the end of a group
	}
	return b.groups() + 1
}

// group returns the slots of group g.
func (b *Block) group(g int) (from, to int) {
	return max(g*b.Every-b.lead, 0), min((g+1)*b.Every-b.lead, b.N)
}

// step is how many slots a count of a decoded block is of: an overview is not put
// back on the grid.
func (b *Block) step() int {
	if b.overview {
		return b.Every
	}
	return 1
}

// merger makes decimated blocks in memory of its own.
type merger struct {
	columns [][]int64
	samples []uint32
	pages   []PageCount
}

// merge returns the block with every slots merged into one.
func (m *merger) merge(b Block, every int) Block {
	b.Every = every
	for len(m.columns) < len(b.Columns) {
		m.columns = append(m.columns, nil)
	}
	for len(m.pages) < len(b.Pages) {
		m.pages = append(m.pages, PageCount{})
	}
	for i, c := range b.Columns {
		out := append(m.columns[i][:0], c[0])
		for g := range b.groups() {
			if _, to := b.group(g); to > 1 {
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

// sumGroups adds up groups. What does not fit is left out; of a page it is
// among the samples of no page then.
func sumGroups[T uint16 | uint32](dst []T, b *Block, values []T, most uint64) []T {
	for g := range b.groups() {
		from, to := b.group(g)
		dst = append(dst, T(min(sum(values[from:to]), most)))
	}
	return dst
}

// spread puts a decimated block, which has just been decoded, back on the grid.
func (b *Block) spread() {
	if b.Every <= 1 {
		return
	}
	for _, c := range b.Columns {
		b.interpolate(c)
	}
	if b.Samples != nil {
		spreadSums(b, b.Samples)
	}
	for _, p := range b.Pages {
		spreadSums(b, p.Counts)
	}
}

// interpolate moves the values of a column to where they belong, from the last
// one down, and draws lines between them.
func (b *Block) interpolate(c []int64) {
	for g := b.groups() - 1; g >= 0; g-- {
		from, to := b.group(g)
		last := c[0]
		if to > 1 {
			last = c[g+1]
		}
		before, start := c[g], from-1 // where group g-1 ends
		if g == 0 {
			start = 0
		}
		for i := to - 1; i > start; i-- {
			c[i] = between(before, last, i-start, to-1-start)
		}
	}
}

// between is the value at step i of n on the line from a to b.
func between(a, b int64, i, n int) int64 {
	switch {
	case i == n:
		return b
	case a == NoValue || b == NoValue:
		return NoValue
	}
	d := b - a
	return a + d/int64(n)*int64(i) + d%int64(n)*int64(i)/int64(n)
}

// spreadSums spreads the sum of each group evenly over its slots.
func spreadSums[T uint16 | uint32](b *Block, values []T) {
	for g := b.groups() - 1; g >= 0; g-- {
		from, to := b.group(g)
		total, n := uint64(values[g]), uint64(to-from)
		for i := to - 1; i >= from; i-- {
			k := uint64(i - from)
			values[i] = T(total*(k+1)/n - total*k/n)
		}
	}
}
