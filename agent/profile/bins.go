package profile

import (
	"encoding/binary"
	"fmt"
)

// Bins are the code addresses of a block on the job's own clock: every sample stands
// for so much CPU time of the job, so that each Of of them, in the order of time and
// of all its ranks and threads together, are a bin of equal CPU time. Beside other
// work wall time stretches every iteration differently, and CPU time hardly. Samples
// that do not fill a bin are in the first of the next block.
type Bins struct {
	Of int
	// Ends is how many bins ended in each slot of the block.
	Ends []uint16
	// Columns are the places that were hit most, at most MaxPlaces; what is not in
	// them is Of less their sum.
	Columns []PlaceCount
}

// PlaceCount is how often a place was hit in each bin: the blocks of 256 bytes of a
// page that was split from 1 on, or, as 0, what of the page is in no other column.
type PlaceCount struct {
	PageCount
	Block uint8
}

// MaxPlaces is how many columns bins have, MaxBins how many of them a block has: 1.5
// a millisecond. Blocks is how many there are in a page.
const (
	MaxPlaces = 16
	MaxBins   = 2048
	Blocks    = 16
)

// rarePlace is the share of a block's samples below which a place is not kept, as a divisor: a smaller share is
// too little for a period, and each sample costs five bits.
const rarePlace = 32

// N is how many bins there are.
func (b *Bins) N() int { return int(sum(b.Ends)) }

// check refuses bins that a reader would refuse.
func (b *Bins) check(slots int) error {
	switch n := b.N(); {
	case n == 0:
	case n > MaxBins || len(b.Ends) != slots || b.Of < 1 || b.Of > maxOf || len(b.Columns) > MaxPlaces:
		return fmt.Errorf("%d bins of %d samples in %d slots, %d columns", n, b.Of, len(b.Ends), len(b.Columns))
	default:
		for i, c := range b.Columns {
			if len(c.Counts) != n || c.Block > Blocks {
				return fmt.Errorf("column %d of the bins has %d, block %d", i, len(c.Counts), c.Block)
			}
		}
	}
	return nil
}

// The payload of a bins frame is a head of varints:
//
//	flags (8: zstd), First (zigzag) and N of the block, Of, number of bins
//	number of columns; per column: key (8 bytes), hits, bins in which it was
//	  hit, block
//
// and a body, which is zstd's if that is flagged: Ends of every slot, then the
// columns as those of a block's pages.
func (e *encoder) appendBins(dst []byte, first int64, b *Bins) []byte {
	e.body = e.body[:0]
	flags := len(dst)
	dst = binary.AppendVarint(append(dst, 0), first)
	for _, v := range []int{len(b.Ends), b.Of, b.N()} {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	for _, n := range b.Ends {
		e.body = binary.AppendUvarint(e.body, uint64(n))
	}
	total := uint64(b.Of * b.N())
	count := len(dst)
	dst = append(dst, 0)
	for _, c := range b.Columns {
		if e.options.Lossless || sum(c.Counts)*rarePlace >= total {
			dst = append(e.appendPage(dst, c.PageCount), c.Block)
			dst[count]++
		}
	}
	return e.pack(dst, flags)
}

// binsHead is what the first part of a bins frame says; the body follows.
type binsHead struct {
	flags   byte
	first   int64
	slots   int
	of, n   int
	columns []placeHead
	body    []byte
}

type placeHead struct {
	pageHead
	block uint8
}

// maxOf bounds the samples of a bin: 2^16 at 10 kHz are six seconds.
const maxOf = 1 << 16

// read takes the head of a payload apart. Its slices are used again.
func (b *binsHead) read(payload []byte) error {
	d := decoder{p: payload}
	*b = binsHead{columns: b.columns[:0], flags: d.byte(), first: d.varint(), slots: d.count(maxSlots), of: d.count(maxOf),
		n: d.count(MaxBins)}
	for range d.count(MaxPlaces) {
		c := placeHead{pageHead: d.pageHead(b.n), block: d.byte()}
		if d.bad {
			break
		}
		b.columns = append(b.columns, c)
	}
	b.body = d.p
	if d.bad || b.flags&^flagZstd != 0 || b.first < 0 || b.first > maxSlot-maxSlots || b.slots < 1 || b.of < 1 || b.n < 1 {
		return errPayload
	}
	for _, c := range b.columns {
		if c.block > Blocks {
			return errPayload
		}
	}
	return nil
}

// body is what read left of the payload, inflated: the ends of bins by slot, and a
// column at a time.
func (b *binsHead) take(body []byte, ends []uint16, each func(c placeHead, counts []uint16)) error {
	d := decoder{p: body}
	for i := range ends {
		ends[i] = uint16(d.count(MaxBins))
	}
	if int(sum(ends)) != b.n {
		return errPayload
	}
	var room [MaxBins]uint16
	counts := room[:b.n]
	for _, c := range b.columns {
		clear(counts)
		if !d.page(counts, c.pageHead) {
			return errPayload
		}
		each(c, counts)
	}
	if d.bad || len(d.p) > 0 {
		return errPayload
	}
	return nil
}
