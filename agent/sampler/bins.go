package sampler

import (
	"cmp"
	"math"
	"slices"

	"jobgait/agent/profile"
	"jobgait/analysis/anatomy"
)

// bins groups samples into bins of equal CPU time (profile.Bins). It reuses all its memory except that of
// recent.
type bins struct {
	queue  []hit // samples in no bin yet
	recent map[uint64]float64
	split  map[uint64]*split
	index  map[place]int
	folded map[place]place // what is counted with a coarser part in this block
	all    []counted
	ends   [maxBlock]uint16
	kept   []profile.PlaceCount
	counts [profile.MaxBinColumns][profile.MaxBins]uint16
}

// place is a page or a part of it.
type place struct {
	page uint64
	part anatomy.PagePart
}

// counted is a place with its number of hits.
type counted struct {
	place
	hits int
}

// split is a page that holds so much of the code that its blocks and their places are counted: own are those
// with a column, recent the samples of about the last ten drains.
type split struct {
	own    [anatomy.LastPart + 1]bool
	recent [anatomy.LastPart + 1]float64
	// last is the place of the last sample, same how many of the recent pairs of samples were in one place.
	last        uint8
	same, pairs float64
}

// apart reports whether the program stays in one place of the page for some time before it goes to another: at least
// apartRatio times as many pairs of successive samples are in the same place as in a random order of the samples. It
// returns false for fewer than minSplitSamples pairs. Places of one inner loop are not apart, and columns for them
// would cost bits and show nothing.
func (s *split) apart() bool {
	all, squares := 0.0, 0.0
	for _, n := range s.recent[anatomy.PageBlocks+1:] {
		all, squares = all+n, squares+n*n
	}
	return s.pairs >= minSplitSamples && s.same*all*all >= apartRatio*s.pairs*squares
}

// A page is split once it has an eighth of the samples of about the last ten blocks and these are at least
// minSplitSamples: HPCG's five kernels are in one page with 95 % of them. Blocks everywhere instead would leave
// more of a large code in no column (48 % where pages left 40). A page that was split stays split. A block, and
// a place of 16 bytes where places are apart, gets a column once it has a 32nd of all recent samples, and keeps
// it.
const (
	splitShare      = 0.125
	minSplitSamples = 128
	maxSplit        = 8
	decay           = 0.9
	ownShare        = 1. / profile.RarePlace
	binsPerMS       = 1.5
	minRecent       = 1
	apartRatio      = 1.25
)

// newBins returns empty bins.
func newBins() *bins {
	return &bins{recent: map[uint64]float64{}, split: map[uint64]*split{}, index: map[place]int{},
		folded: map[place]place{}}
}

// makeBins returns the bins of the profile block of the n slots, of stepNS each, from slot first on. hits are its
// samples in order of time, which follow those in the queue. Every bin has the same number of samples: the smallest
// power of two with which there are not more than some binsPerMS bins per ms, nor more than MaxBins. Samples that do
// not fill a bin wait in the queue for the next block. EndsPerSlot counts the bins that end in each slot.
func (b *bins) makeBins(hits []hit, first int64, n int, stepNS int64) profile.Bins {
	b.updateSplit(hits)
	b.queue = append(b.queue, hits...)
	// A power of two, so that bins of all blocks add up to the same.
	limit, of := min(profile.MaxBins, int(binsPerMS*float64(n)*float64(stepNS)/1e6)+1), 1
	for ; len(b.queue)/of > limit; of *= 2 {
	}
	bins := len(b.queue) / of
	use := b.queue[:bins*of]
	b.chooseColumns(use, bins)
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
	return profile.Bins{SamplesPerBin: of, EndsPerSlot: ends, Columns: b.kept}
}

// updateSplit adds the samples to the recent ones, splits the pages that hold at least splitShare of these,
// at most maxSplit, and gives a column to the parts of split pages that hold at least ownShare of these. With
// fewer than minSplitSamples recent samples it splits nothing. Single places get a column only if the page's
// samples are in separate places (split.apart).
func (b *bins) updateSplit(hits []hit) {
	total := b.fade()
	for _, h := range hits {
		b.recent[h.page]++
		total++
		if s := b.split[h.page]; s != nil {
			s.recent[anatomy.BlockPart(h.place)]++
			s.recent[anatomy.PlacePart(h.place)]++
			if s.pairs++; h.place == s.last {
				s.same++
			}
			s.last = h.place
		}
	}
	if total < minSplitSamples {
		return
	}
	for _, s := range b.split {
		apart := s.apart()
		for i, n := range s.recent {
			s.own[i] = s.own[i] || n >= ownShare*total && (apart || !anatomy.PagePart(i).IsPlace())
		}
	}
	for key, n := range b.recent { // of seven at most: any order will do
		if n >= splitShare*total && key > profile.AnonymousPage && b.split[key] == nil && len(b.split) < maxSplit {
			b.split[key] = new(split)
		}
	}
}

// fade multiplies the counts of recent samples by decay and returns their sum over all pages. It forgets pages with
// less than minRecent.
func (b *bins) fade() (total float64) {
	for key := range b.recent {
		if b.recent[key] *= decay; b.recent[key] < minRecent {
			delete(b.recent, key)
		}
		total += b.recent[key]
	}
	for _, s := range b.split {
		for i := range s.recent {
			s.recent[i] *= decay
		}
		s.same, s.pairs = decay*s.same, decay*s.pairs
	}
	return total
}

// placeOf returns the finest place with a column that contains a sample.
func (b *bins) placeOf(h hit) place {
	s := b.split[h.page]
	if s == nil {
		return place{h.page, anatomy.WholePage}
	}
	return place{h.page, s.within(anatomy.PlacePart(h.place))}
}

// within returns the part itself if it has a column, else the finest one with a column that holds it.
func (s *split) within(part anatomy.PagePart) anatomy.PagePart {
	for part != anatomy.WholePage && !s.own[part] {
		part = part.Parent()
	}
	return part
}

// chooseColumns makes a column of n bins, all 0, for each of the MaxBinColumns places with most hits, ties by page and
// part. Places and blocks that are rare, or too many, are first counted with the larger part that contains them.
// b.index then has the index of each place; from MaxBinColumns on it has no column.
func (b *bins) chooseColumns(hits []hit, n int) {
	b.tally(hits)
	b.fold(len(hits), anatomy.PagePart.IsPlace, mostPlaces)
	b.fold(len(hits), func(p anatomy.PagePart) bool { return p != anatomy.WholePage && !p.IsPlace() }, mostBlocks)
	b.sort()
	b.kept = b.kept[:0]
	for k, c := range b.all {
		if b.index[c.place] = k; k >= profile.MaxBinColumns {
			continue
		}
		counts := b.counts[k][:n]
		clear(counts)
		b.kept = append(b.kept, profile.PlaceCount{PageCount: profile.PageCount{Key: c.page, Counts: counts}, Part: c.part})
	}
	for from, to := range b.folded {
		for next, ok := b.folded[to]; ok; next, ok = b.folded[to] {
			to = next
		}
		b.index[from] = b.index[to]
	}
}

// tally counts the hits of each place.
func (b *bins) tally(hits []hit) {
	clear(b.index)
	clear(b.folded)
	b.all = b.all[:0]
	for _, h := range hits {
		b.count(b.placeOf(h), 1)
	}
}

// count adds hits to the count of a place in b.all, and appends the place if it is new.
func (b *bins) count(p place, hits int) {
	i, ok := b.index[p]
	if !ok {
		i = len(b.all)
		b.index[p] = i
		b.all = append(b.all, counted{place: p})
	}
	b.all[i].hits += hits
}

// mostPlaces and mostBlocks are the largest numbers of places of 16 bytes and of blocks of 256 bytes that have
// columns at once. With the pages that are left there are no more columns than bins have.
const mostPlaces, mostBlocks = 16, 8

// fold removes from b.all the parts of a kind that are rare in these samples, and those after the first limit in
// order of hits, and adds their hits to the next larger part with a column. A profile keeps no column for them,
// and without this the page would lack their samples.
func (b *bins) fold(total int, kind func(anatomy.PagePart) bool, limit int) {
	b.sort()
	seen, kept := 0, b.all[:0]
	var folded []counted
	for _, c := range b.all {
		if kind(c.part) {
			if seen++; seen > limit || c.hits*2*profile.RarePlace < total {
				folded = append(folded, c)
				continue
			}
		}
		kept = append(kept, c)
	}
	b.all = kept
	clear(b.index)
	for i, c := range b.all {
		b.index[c.place] = i
	}
	for _, c := range folded {
		to := place{c.page, b.split[c.page].within(c.part.Parent())}
		b.folded[c.place] = to
		b.count(to, c.hits)
	}
}

// sort orders the places by falling number of hits, ties by page and part.
func (b *bins) sort() {
	slices.SortFunc(b.all, func(x, y counted) int {
		return cmp.Or(cmp.Compare(y.hits, x.hits), cmp.Compare(x.page, y.page), cmp.Compare(x.part, y.part))
	})
}
