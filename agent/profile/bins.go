package profile

import (
	"encoding/binary"
	"fmt"

	"jobgait/analysis/anatomy"
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

// PlaceCount is how often a page, or a part of one that was split, was hit in each bin.
// Each sample is in one part only.
type PlaceCount struct {
	PageCount
	Part anatomy.PagePart
}

// MaxPlaces is how many columns bins have, MaxBins how many of them a block has: 1.5
// a millisecond.
const (
	MaxPlaces = 32
	MaxBins   = 2048
)

// RarePlace is the share of a block's samples below which a page is not kept, as a divisor: a smaller share is
// too little for a period, and each sample costs five bits. Parts of a page are kept from half of it on, or the
// page would lack their samples.
const RarePlace = 32

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
			if len(c.Counts) != n || c.Part > anatomy.LastPart {
				return fmt.Errorf("column %d of the bins has %d, part %d", i, len(c.Counts), c.Part)
			}
		}
	}
	return nil
}

// The payload of a bins frame is a head of varints:
//
//	flags (8: zstd), First (zigzag) and N of the block, Of, number of bins
//	number of columns; per column: key (8 bytes), hits, bins in which it was
//	  hit, part of the page
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
		if e.options.Lossless || sum(c.Counts)*c.rare() >= total {
			dst = binary.AppendUvarint(e.appendPage(dst, c.PageCount), uint64(c.Part))
			dst[count]++
		}
	}
	return e.pack(dst, flags)
}

// rare is the share of a block's samples from which on the column is kept, as a divisor.
func (c PlaceCount) rare() uint64 {
	if c.Part == anatomy.WholePage {
		return RarePlace
	}
	return 2 * RarePlace
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
	part anatomy.PagePart
}

// maxOf bounds the samples of a bin: 2^16 at 10 kHz are six seconds.
const maxOf = 1 << 16

// read takes the head of a payload apart. Its slices are used again.
func (b *binsHead) read(payload []byte) error {
	d := decoder{p: payload}
	*b = binsHead{columns: b.columns[:0], flags: d.byte(), first: d.varint(), slots: d.count(maxSlots), of: d.count(maxOf),
		n: d.count(MaxBins)}
	for range d.count(MaxPlaces) {
		c := placeHead{pageHead: d.pageHead(b.n), part: anatomy.PagePart(d.count(int(anatomy.LastPart)))}
		if d.bad {
			break
		}
		b.columns = append(b.columns, c)
	}
	b.body = d.p
	if d.bad || b.flags&^flagZstd != 0 || b.first < 0 || b.first > maxSlot-maxSlots || b.slots < 1 || b.of < 1 || b.n < 1 {
		return errPayload
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
