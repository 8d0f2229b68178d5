package sampler

import "jobgait/agent/profile"

// PeekNS is how old a slot's end must be to be looked at: records come in microseconds,
// and one that is missed by a look is not missed by Emit.
const PeekNS = 20e6

// peeked is what a look at slots fills.
type peeked struct {
	pages   pages
	columns [][]int64
	samples []uint32
}

// Peek fills a block with slots from one on that are complete but for what comes late,
// all sources having been drained since, and leaves them for Emit. It is false when
// there is none. The block has counts and code, and its slices are used again by the
// next call.
func (s *Sampler) Peek(from, nowNS int64, b *profile.Block) bool {
	from = max(from, s.first)
	end := min(s.grid.Slot(nowNS-PeekNS), s.horizon, from+maxBlock)
	if end <= from {
		return false
	}
	if s.peeked == nil {
		s.peeked = &peeked{pages: pages{index: map[uint64]int{}}, samples: make([]uint32, maxBlock)}
		for range s.columns {
			s.peeked.columns = append(s.peeked.columns, make([]int64, maxBlock))
		}
	}
	n := int(end - from)
	*b = profile.Block{First: from, N: n, Columns: b.Columns[:0]}
	s.peekColumns(b)
	if s.addresses {
		s.peekHits(b, end)
	}
	return true
}

func (s *Sampler) peekColumns(b *profile.Block) {
	for i := range b.N {
		c := 0
		for _, t := range s.tracks {
			t.look(b.First+int64(i), s.peeked.columns[c:], i)
			c += t.shape.Columns
		}
	}
	for _, column := range s.peeked.columns {
		b.Columns = append(b.Columns, column[:b.N])
	}
}

func (s *Sampler) peekHits(b *profile.Block, end int64) {
	p := s.peeked
	b.Samples = p.samples[:b.N]
	clear(b.Samples)
	p.pages.reset()
	here := func(f func(h hit)) {
		for _, h := range s.hits {
			if h.slot >= b.First && h.slot < end {
				f(h)
			}
		}
	}
	here(func(h hit) {
		b.Samples[h.slot-b.First]++
		p.pages.count(h.page)
	})
	p.pages.choose(b.N)
	here(func(h hit) { p.pages.add(h.page, int(h.slot-b.First)) })
	b.Pages = p.pages.kept
}
