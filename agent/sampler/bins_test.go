package sampler

import (
	"math/rand/v2"
	"testing"

	"jobgait/agent/profile"
	"jobgait/analysis/anatomy"
)

// countsOf returns the counts of a place in the bins of a block, nil without one.
func countsOf(b profile.Bins, page uint64, part anatomy.PagePart) []uint16 {
	for _, c := range b.Columns {
		if c.Key == page && c.Part == part {
			return c.Counts
		}
	}
	return nil
}

// Two CPUs hand over their samples one after the other; in the bins they are in the
// order of time.
func TestBinsAreInTheOrderOfTime(t *testing.T) {
	s := newTest(true, Shape{Lanes: 2})
	for lane := range int64(2) {
		for ms := range int64(50) {
			s.Track(0).Hit(ms*1e6+lane*500_000, uint64(10+ms%2*2+lane), 0)
		}
	}
	b := emit(s, 10*step+EmitDelayNS)[0]
	// 2000 samples a second are more than 1.5 bins a millisecond: two are one bin.
	if b.Bins.SamplesPerBin != 2 || b.Bins.Count() != 50 || len(b.Bins.Columns) != 4 {
		t.Fatalf("%d bins of %d, %d columns", b.Bins.Count(), b.Bins.SamplesPerBin, len(b.Bins.Columns))
	}
	for page := range uint64(4) {
		for i, n := range countsOf(b.Bins, 10+page, 0) {
			if want := uint16(1 - (page/2+uint64(i))%2); n != want {
				t.Errorf("page %d bin %d: %d samples, want %d", page, i, n, want)
			}
		}
	}
	for slot, n := range b.Bins.EndsPerSlot {
		if n != 5 {
			t.Errorf("slot %d: %d bins ended", slot, n)
		}
	}
}

// What does not fill a bin is in the first of the next block.
func TestNoSampleIsLostBetweenBlocks(t *testing.T) {
	s := newTest(true, Shape{Lanes: 4})
	seen, taken := 0, 0
	for i := range int64(997) {
		s.Track(0).Hit(i*300_000, profile.AnonymousPage, 0)
		seen++
		for _, b := range emit(s, i*300_000) {
			taken += b.Bins.Count() * b.Bins.SamplesPerBin
			if sum := b.Bins.Count() * b.Bins.SamplesPerBin; sum > 0 {
				for _, n := range countsOf(b.Bins, profile.AnonymousPage, 0) {
					sum -= int(n)
				}
				if sum != 0 {
					t.Fatalf("%d samples are in no column", sum)
				}
			}
		}
	}
	emit(s, 1e9)
	if left := len(s.bins.queue); left >= 4 || seen-taken-left > 500 {
		t.Errorf("%d of %d samples in bins, %d wait", taken, seen, left)
	}
}

// A page with most of the samples is split into blocks, and these into places of 16 bytes where many samples
// are; all of them and the rest of the page add up.
func TestAHotPageIsSplit(t *testing.T) {
	s := newTest(true, Shape{Lanes: 1})
	var last profile.Bins
	for i := range int64(4000) {
		page, at := uint64(100), uint8(i*7919/13%32) // spread over two blocks
		switch {
		case i%10 == 0:
			page, at = uint64(200+i/10%40), uint8(i%16)
		case i%100 == 1:
			at = 0xf3 // too rare for a column
		case i/50%2 == 1:
			at = uint8(0x51 + i/100%2*7) // two places of another, one after the other
		}
		if s.Track(0).Hit(i*1e6, page, at); i%600 != 599 {
			continue
		}
		for _, b := range emit(s, i*1e6) {
			last = b.Bins
			last.Columns = nil
			for _, c := range b.Bins.Columns {
				c.Counts = append([]uint16{}, c.Counts...)
				last.Columns = append(last.Columns, c)
			}
		}
	}
	total := func(part anatomy.PagePart) (n int) {
		for _, c := range countsOf(last, 100, part) {
			n += int(c)
		}
		return n
	}
	spread := total(anatomy.BlockPart(0)) + total(anatomy.BlockPart(0x10))
	one, two := total(anatomy.PlacePart(0x51)), total(anatomy.PlacePart(0x58))
	rest, n := total(anatomy.WholePage), last.Count()
	if last.SamplesPerBin != 1 || spread*10 < n*3 || one*10 < n*2 || two*10 < n*2 || rest == 0 || rest*20 > n ||
		total(anatomy.BlockPart(0x51)) != 0 || countsOf(last, 100, anatomy.BlockPart(0xf3)) != nil {
		t.Errorf("%d bins: %d in two blocks, %d and %d in two places of another, %d in the rest of the page", n, spread, one,
			two, rest)
	}
	for _, c := range last.Columns {
		if c.Key != 100 && c.Part != anatomy.WholePage {
			t.Errorf("page %d was split", c.Key)
		}
	}
}

// TestRareParts checks that a part with a column that is hit seldom in a block of samples counts with the part
// that holds it, so that the columns of a page have all of its samples.
func TestRareParts(t *testing.T) {
	b := newBins()
	draw := func(rare int) (hits []hit) {
		for i := range 600 {
			h := hit{slot: int64(i / 5), page: 100, place: 0x10}
			if i < rare {
				h.place = 0x1f
			}
			hits = append(hits, h)
		}
		return hits
	}
	for range 4 {
		b.makeBins(draw(200), 0, 120, step)
	}
	for _, c := range []struct {
		rare, own int
	}{{200, 200}, {20, 20}, {5, 0}} {
		got, sum := b.makeBins(draw(c.rare), 0, 120, step), 0
		own := 0
		for _, x := range got.Columns {
			for _, n := range x.Counts {
				if sum += int(n); x.Part == anatomy.PlacePart(0x1f) {
					own += int(n)
				}
			}
		}
		if sum != 600 || own != c.own {
			t.Errorf("%d hits of a rare place: %d in its column, %d in all", c.rare, own, sum)
		}
	}
}

// TestPlacesOfOneLoopStayTogether checks that places that are hit in random order have no columns of their own, and
// that those of functions that follow each other have.
func TestPlacesOfOneLoopStayTogether(t *testing.T) {
	for _, apart := range []bool{false, true} {
		b, r := newBins(), rand.New(rand.NewPCG(5, 5))
		places := 0
		for drain := range 8 {
			var hits []hit
			for i := range 600 {
				h := hit{slot: int64(i / 5), page: 100, place: uint8(0x10 + r.IntN(4))}
				if apart && (600*drain+i)/100%2 == 1 {
					h.place += 4
				}
				hits = append(hits, h)
			}
			for _, c := range b.makeBins(hits, 0, 120, step).Columns {
				if c.Part.IsPlace() {
					places++
				}
			}
		}
		if (places > 0) != apart {
			t.Errorf("functions follow each other: %v, columns of places: %d", apart, places)
		}
	}
}

func TestSplitsAreBounded(t *testing.T) {
	b := newBins()
	for page := range uint64(100) {
		var hits []hit
		for i := range int64(600) {
			hits = append(hits, hit{slot: i / 5, page: 10 + page, place: uint8(i % 256)})
		}
		for range 4 {
			if got := b.makeBins(hits, 0, 120, step); len(got.Columns) > profile.MaxBinColumns {
				t.Fatalf("%d columns", len(got.Columns))
			}
		}
	}
	if len(b.split) != maxSplit || len(b.recent) > 60 {
		t.Errorf("%d pages are split, %d remembered", len(b.split), len(b.recent))
	}
}

// BenchmarkBins is what a second of two busy CPUs at 1 kHz costs.
func BenchmarkBins(b *testing.B) {
	s := newBins()
	var hits []hit
	for i := range int64(2000) {
		hits = append(hits, hit{slot: i / 10, page: uint64(100 + i*i%37/12), place: uint8(i % 256)})
	}
	for b.Loop() {
		s.makeBins(hits, 0, 200, step)
	}
}
