package sampler

import (
	"cmp"
	"slices"

	"jobgait/agent/profile"
)

// pages finds the pages with most hits in a block. It reuses all its memory.
type pages struct {
	index map[uint64]int // page -> position in all
	all   []page
	order []int
	kept  []profile.PageCount
	slots [profile.MaxPages][maxBlock]uint16
}

// page is a page with its number of hits.
type page struct {
	key  uint64
	hits int
	kept int // position in kept, -1 when it is not
}

// reset begins a new block.
func (p *pages) reset() {
	clear(p.index)
	p.all, p.kept = p.all[:0], p.kept[:0]
}

// count counts a hit of a page.
func (p *pages) count(key uint64) {
	i, ok := p.index[key]
	if !ok {
		i = len(p.all)
		p.index[key] = i
		p.all = append(p.all, page{key: key, kept: -1})
	}
	p.all[i].hits++
}

// choose keeps the MaxPages pages with most hits, ties by key, with counts of 0 in each of n slots.
func (p *pages) choose(n int) {
	p.order = p.order[:0]
	for i := range p.all {
		p.order = append(p.order, i)
	}
	slices.SortFunc(p.order, func(i, j int) int {
		a, b := p.all[i], p.all[j]
		return cmp.Or(cmp.Compare(b.hits, a.hits), cmp.Compare(a.key, b.key))
	})
	for k, i := range p.order[:min(len(p.order), profile.MaxPages)] {
		counts := p.slots[k][:n]
		clear(counts)
		p.all[i].kept = k
		p.kept = append(p.kept, profile.PageCount{Key: p.all[i].key, Counts: counts})
	}
}

// add counts one hit of a page in a slot of the block, at most 65,535 in each. It ignores a page that is not kept.
func (p *pages) add(key uint64, slot int) {
	k := p.all[p.index[key]].kept
	if k >= 0 && p.kept[k].Counts[slot] < 1<<16-1 {
		p.kept[k].Counts[slot]++
	}
}
