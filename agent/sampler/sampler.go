package sampler

import (
	"cmp"
	"math"
	"slices"

	"jobgait/agent/profile"
)

const (
	// EmitDelayNS is how old a slot's end must be before the slot is emitted: a record is written within
	// microseconds, but a virtual CPU may be interrupted in the middle of it. Later records are lost. With a drain
	// at least every 0.8 s a kill loses less than a second.
	EmitDelayNS int64 = 100e6
	// window is the number of slots that may be open, 20 s: if the agent does not run for longer, the profile has
	// a gap. The rings hold 4 s.
	window = 4096
	// maxHits limits the address samples that wait for their slot: a minute at 16 kHz, 16 MB.
	maxHits = 1 << 20
	// maxEpochs limits the epochs that wait to be taken, so that a source with a change at every drain does not
	// fill the memory. It suffices for all CPUs of a large node going offline at once.
	maxEpochs = 1024
)

// maxBlock is the largest number of slots of a block: about those of one drain.
const maxBlock = 256

// Sampler puts the readings of all sources on the grid and emits blocks.
type Sampler struct {
	grid   Grid
	tracks []*Track
	// Slots from first to horizon-1 are open.
	first, horizon int64
	hits           []hit
	pages          pages
	bins           *bins // of code addresses
	records, lost  int64
	columns        [][]int64
	samples        []uint32
	addresses      bool
	ran            []uint16
	epochs         []profile.Epoch
}

// hit is a sample of code in a place of 16 bytes of a page, taken afterNS after the beginning of its slot.
type hit struct {
	slot    int64
	page    uint64
	afterNS int32 // at most 2.1 s
	place   uint8
}

// New returns a sampler for sources of these shapes. addresses says whether one of them samples code addresses.
func New(grid Grid, addresses bool, shapes ...Shape) *Sampler {
	s := &Sampler{grid: grid, horizon: window, addresses: addresses}
	for _, shape := range shapes {
		s.tracks = append(s.tracks, newTrack(s, shape))
		for range shape.Columns {
			s.columns = append(s.columns, make([]int64, maxBlock))
		}
	}
	if addresses {
		s.samples, s.bins = make([]uint32, maxBlock), newBins()
	}
	s.pages.index = map[uint64]int{}
	return s
}

// Track returns the sink of the i-th source.
func (s *Sampler) Track(i int) *Track { return s.tracks[i] }

// windowIndex returns the index of a slot within the window.
func (s *Sampler) windowIndex(slot int64) int { return int(slot % window) }

// hit stores a code sample until its slot is emitted. Samples of slots that were emitted or are beyond the
// window, and those above maxHits, count as lost; samples before the grid's start are ignored.
func (s *Sampler) hit(timeNS int64, page uint64, place uint8) {
	slot := s.grid.Slot(timeNS)
	switch {
	case slot < 0 || !s.addresses: // before the grid began, or not requested
	case slot < s.first, slot >= s.horizon, len(s.hits) >= maxHits:
		s.lost++
	default:
		after := timeNS - s.grid.BaseNS - slot*s.grid.StepNS
		s.hits = append(s.hits, hit{slot, page, int32(min(after, math.MaxInt32)), place})
	}
}

// Changed stores an epoch until it is taken, with the slot of its time, which may begin before the change.
func (s *Sampler) Changed(e profile.Epoch) {
	e.Slot = max(0, s.grid.Slot(e.TimeNS))
	if len(s.epochs) < maxEpochs {
		s.epochs = append(s.epochs, e)
	}
}

// Epochs returns the epochs since the last call. The slice is reused.
func (s *Sampler) Epochs() []profile.Epoch {
	e := s.epochs
	s.epochs = s.epochs[:0]
	return e
}

// Emit fills a block with the next slots, at most maxBlock, that ended EmitDelayNS or more before nowNS, and returns
// true; it returns false if no slot is ready. All sources must have been drained since nowNS. The caller repeats it
// until it returns false, and sets the block's clocks and the agent's CPU time. The next call reuses the block's
// slices. If no slot of the window is left but time has passed beyond it, Emit skips to the present.
func (s *Sampler) Emit(nowNS int64, b *profile.Block) bool {
	limit := s.grid.Slot(nowNS - EmitDelayNS)
	end := min(limit, s.horizon, s.first+maxBlock)
	if end <= s.first {
		if limit > s.first {
			s.Skip(limit) // kept from running for longer than the window
		}
		s.horizon = s.first + window
		return false
	}
	n := int(end - s.first)
	*b = profile.Block{First: s.first, N: n, LostRecords: s.lost, Records: s.records, Columns: b.Columns[:0]}
	s.lost, s.records = 0, 0
	s.takeColumns(b)
	s.takeShares(b)
	if s.addresses {
		s.takeHits(b, end)
	}
	s.first = end
	return true
}

// takeColumns moves the columns of the block's slots out of the window and counts the slots that are incomplete
// in any track in UncertainSlots.
func (s *Sampler) takeColumns(b *profile.Block) {
	for i := range b.N {
		slot := s.first + int64(i)
		c, incomplete := 0, false
		for _, t := range s.tracks {
			incomplete = incomplete || t.incomplete(slot)
			t.moveSlot(slot, s.columns[c:], i)
			c += t.shape.Columns
		}
		if incomplete {
			b.UncertainSlots++
		}
	}
	for _, column := range s.columns {
		b.Columns = append(b.Columns, column[:b.N])
	}
}

// takeShares sets CountedShare to the share of the time since the last block, in 1/10000, in which each column counted
// while it was enabled; nil if all counted all the time.
func (s *Sampler) takeShares(b *profile.Block) {
	s.ran = s.ran[:0]
	full := true
	for _, t := range s.tracks {
		for c := range t.ran {
			share := t.ran[c].take()
			s.ran = append(s.ran, share)
			full = full && share == fullShare
		}
	}
	if b.CountedShare = s.ran; full {
		b.CountedShare = nil
	}
}

// takeHits counts the block's hits: by page, to choose the pages with a column, by slot for these pages, and in
// order of time for the bins.
func (s *Sampler) takeHits(b *profile.Block, end int64) {
	slices.SortFunc(s.hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(x.slot, y.slot), cmp.Compare(x.afterNS, y.afterNS))
	})
	here, _ := slices.BinarySearchFunc(s.hits, end, func(h hit, end int64) int { return cmp.Compare(h.slot, end) })
	b.Samples = s.samples[:b.N]
	clear(b.Samples)
	s.pages.reset()
	for _, h := range s.hits[:here] {
		b.Samples[h.slot-s.first]++
		s.pages.count(h.page)
	}
	s.pages.choose(b.N)
	for _, h := range s.hits[:here] {
		s.pages.add(h.page, int(h.slot-s.first))
	}
	b.Pages = s.pages.kept
	b.Bins = s.bins.makeBins(s.hits[:here], s.first, b.N, s.grid.StepNS)
	s.hits = slices.Delete(s.hits, 0, here)
}

// Skip leaves the slots before this one out of the profile: no block has them, and a reader sees a gap.
// Counts continue. It drops the code samples of these slots and those that wait to fill a bin.
func (s *Sampler) Skip(slot int64) {
	for ; s.first < min(slot, s.horizon); s.first++ {
		for _, t := range s.tracks {
			t.clearSlot(s.first)
		}
	}
	s.first = max(s.first, slot)
	s.horizon = s.first + window
	for _, t := range s.tracks {
		for _, l := range t.lanes {
			l.setSeen(slot-1, l.time, l.last)
		}
	}
	rest := s.hits[:0]
	for _, h := range s.hits {
		if h.slot >= s.first {
			rest = append(rest, h)
		}
	}
	s.hits = rest
	if s.addresses {
		s.bins.queue = s.bins.queue[:0]
	}
}
