package sampler

import (
	"cmp"
	"math"
	"slices"

	"jobgait/agent/profile"
)

// bins puts samples on the job's own clock (profile.Bins). All its memory but that
// of recent is used again.
type bins struct {
	queue  []hit // samples in no bin yet
	recent map[uint64]float64
	split  map[uint64]*split
	index  map[place]int
	all    []counted
	ends   [maxBlock]uint16
	kept   []profile.PlaceCount
	counts [profile.MaxPlaces][profile.MaxBins]uint16
}

// place is a block of a page, or 0 for what is in none.
type place struct {
	page  uint64
	block uint8
}

// counted is how often a place was hit.
type counted struct {
	place
	hits int
}

// split is a page that holds so much of the code that its blocks are counted, those
// that were hit enough once.
type split struct {
	own  [profile.Blocks]bool
	hits [profile.Blocks]int
}

// A page is split from when it has a quarter of the samples of about the last ten blocks, if these are enough
// to say so: HPCG's five kernels are in one page with 95 % of them. Blocks everywhere instead would leave more
// of a large code in no column (48 % where pages left 40). A page that was split stays split, and a block that
// has a 32nd of a block's samples gets a column and keeps it.
const (
	splitShare  = 0.25
	splitLeast  = 128
	mostSplit   = 8
	fading      = 0.9
	ownBlock    = 32
	binsPerMS   = 1.5
	leastRecent = 1
)

func newBins() *bins {
	return &bins{recent: map[uint64]float64{}, split: map[uint64]*split{}, index: map[place]int{}}
}

// take makes the bins of a block of n slots that take stepNS each, from samples in the
// order of time.
func (b *bins) take(hits []hit, first int64, n int, stepNS int64) profile.Bins {
	b.divide(hits)
	b.queue = append(b.queue, hits...)
	// A power of two, so that bins of all blocks add up to the same.
	most, of := min(profile.MaxBins, int(binsPerMS*float64(n)*float64(stepNS)/1e6)+1), 1
	for ; len(b.queue)/of > most; of *= 2 {
	}
	bins := len(b.queue) / of
	use := b.queue[:bins*of]
	b.choose(use, bins)
	ends := b.ends[:n]
	clear(ends)
	for i, h := range use {
		if k := b.index[b.placeOf(h)]; k < len(b.kept) && b.kept[k].Counts[i/of] < math.MaxUint16 {
			b.kept[k].Counts[i/of]++
		}
		if i%of == of-1 {
			ends[max(0, h.slot-first)]++
		}
	}
	b.queue = slices.Delete(b.queue, 0, len(use))
	return profile.Bins{Of: of, Ends: ends, Columns: b.kept}
}

// divide splits the pages that hold so much.
func (b *bins) divide(hits []hit) {
	total := 0.0
	for key := range b.recent {
		if b.recent[key] *= fading; b.recent[key] < leastRecent {
			delete(b.recent, key)
		}
		total += b.recent[key]
	}
	for _, h := range hits {
		b.recent[h.page]++
		total++
		if s := b.split[h.page]; s != nil {
			s.hits[h.block]++
		}
	}
	for _, s := range b.split {
		for i, n := range s.hits {
			s.own[i] = s.own[i] || n*ownBlock >= len(hits) && n > 0
		}
		s.hits = [profile.Blocks]int{}
	}
	if total < splitLeast {
		return
	}
	for key, n := range b.recent { // of three at most: any order will do
		if n >= splitShare*total && key > profile.AnonymousPage && b.split[key] == nil && len(b.split) < mostSplit {
			b.split[key] = new(split)
		}
	}
}

// placeOf is the column that a sample would be in.
func (b *bins) placeOf(h hit) place {
	if s := b.split[h.page]; s != nil && s.own[h.block] {
		return place{h.page, h.block + 1}
	}
	return place{h.page, 0}
}

// choose gives the places that were hit most their columns, ties by name.
func (b *bins) choose(hits []hit, n int) {
	clear(b.index)
	b.all, b.kept = b.all[:0], b.kept[:0]
	for _, h := range hits {
		p := b.placeOf(h)
		i, ok := b.index[p]
		if !ok {
			i = len(b.all)
			b.index[p] = i
			b.all = append(b.all, counted{place: p})
		}
		b.all[i].hits++
	}
	slices.SortFunc(b.all, func(x, y counted) int {
		return cmp.Or(cmp.Compare(y.hits, x.hits), cmp.Compare(x.page, y.page), cmp.Compare(x.block, y.block))
	})
	for k, c := range b.all {
		if b.index[c.place] = k; k >= profile.MaxPlaces {
			continue
		}
		counts := b.counts[k][:n]
		clear(counts)
		b.kept = append(b.kept, profile.PlaceCount{PageCount: profile.PageCount{Key: c.page, Counts: counts}, Block: c.block})
	}
}
