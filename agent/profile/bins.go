package profile

import (
	"encoding/binary"
	"fmt"

	"jobgait/analysis/anatomy"
)

// Bins are the code addresses of a block in steps of equal CPU time of the job instead of wall time. Every
// sample stands for a fixed CPU time, and every SamplesPerBin consecutive samples, of all ranks and threads
// together, are one bin. Work of other jobs stretches iterations in wall time, but hardly in CPU time. Samples
// that do not fill a bin count in the first bin of the next block.
type Bins struct {
	// SamplesPerBin is the number of samples in a bin.
	SamplesPerBin int
	// EndsPerSlot is the number of bins that ended in each slot of the block.
	EndsPerSlot []uint16
	// Columns are the code locations with the most samples, at most MaxBinColumns. The samples of a bin outside of
	// them are SamplesPerBin less their sum.
	Columns []PlaceCount
}

// PlaceCount is how often a page, or a part of one that was split, was hit in each bin.
// Each sample is in one part only.
type PlaceCount struct {
	PageCount
	Part anatomy.PagePart
}

// MaxBinColumns is the largest number of columns of bins, MaxBins the largest number of bins in a block: 1.5
// per millisecond.
const (
	MaxBinColumns = 32
	MaxBins       = 2048
)

// RarePlace is the share of a block's samples below which a page is not kept, as a divisor: a smaller share is
// too little for a period, and each sample costs five bits. Parts of a page are kept from half of it on, or the
// page would lack their samples.
const RarePlace = 32

// Count returns the number of bins in the block.
func (b *Bins) Count() int { return int(sum(b.EndsPerSlot)) }

// check returns an error if a reader would reject the bins: too many, of another number of slots, or with
// columns of the wrong length.
func (b *Bins) check(slots int) error {
	switch n := b.Count(); {
	case n == 0:
	case n > MaxBins || len(b.EndsPerSlot) != slots || b.SamplesPerBin < 1 || b.SamplesPerBin > maxSamplesPerBin ||
		len(b.Columns) > MaxBinColumns:
		return fmt.Errorf("the block's bins are out of range: %d bins (limit %d) of %d samples in %d slots, %d columns",
			n, MaxBins, b.SamplesPerBin, len(b.EndsPerSlot), len(b.Columns))
	default:
		for i, c := range b.Columns {
			if len(c.Counts) != n || c.Part > anatomy.LastPart {
				return fmt.Errorf("column %d of the block's bins is invalid: %d counts, part %d", i, len(c.Counts), c.Part)
			}
		}
	}
	return nil
}

// appendBins appends the payload of a bins frame to dst. first is the block's first slot, b its bins. The payload is a
// head of varints:
//
//	flags (8: zstd), First (zigzag) and N of the block, SamplesPerBin, number of bins
//	number of columns; per column: key (8 bytes), hits, bins in which it was
//	  hit, part of the page
//
// and a body, compressed by zstd if that is flagged: EndsPerSlot of every slot, then the columns, encoded like
// a block's pages. Unless the profile is lossless, columns below the share of RarePlace are left out.
func (e *encoder) appendBins(dst []byte, first int64, b *Bins) []byte {
	e.body = e.body[:0]
	flags := len(dst)
	dst = binary.AppendVarint(append(dst, 0), first)
	for _, v := range []int{len(b.EndsPerSlot), b.SamplesPerBin, b.Count()} {
		dst = binary.AppendUvarint(dst, uint64(v))
	}
	for _, n := range b.EndsPerSlot {
		e.body = binary.AppendUvarint(e.body, uint64(n))
	}
	total := uint64(b.SamplesPerBin * b.Count())
	count := len(dst)
	dst = append(dst, 0)
	for _, c := range b.Columns {
		if e.options.Lossless || sum(c.Counts)*c.rare() >= total {
			dst = binary.AppendUvarint(e.appendPage(dst, c.PageCount), uint64(c.Part))
			dst[count]++
		}
	}
	return e.appendBody(dst, flags)
}

// rare returns the divisor for the share of a block's samples from which on the column is kept: 1/RarePlace for a
// whole page, half of that for a part of one.
func (c PlaceCount) rare() uint64 {
	if c.Part == anatomy.WholePage {
		return RarePlace
	}
	return 2 * RarePlace
}

// binsHead is the decoded head of a bins frame; body is the rest, still compressed.
type binsHead struct {
	flags                   byte
	first                   int64
	slots                   int
	samplesPerBin, binCount int
	columns                 []binColumnHead
	body                    []byte
}

// binColumnHead is the head of one column of bins: key, hits, number of bins with hits, and block of the page
// (0 for the page).
type binColumnHead struct {
	pageHead
	part anatomy.PagePart
}

// maxSamplesPerBin limits the samples of a bin: 65,536, six seconds at 10 kHz.
const maxSamplesPerBin = 1 << 16

// readHead decodes the head of a payload and leaves the rest in body. It reuses the slices of the previous
// head. It returns an error if a number is out of range.
func (b *binsHead) readHead(payload []byte) error {
	d := decoder{p: payload}
	*b = binsHead{columns: b.columns[:0], flags: d.byte(), first: d.varint(), slots: d.countUpTo(maxSlots),
		samplesPerBin: d.countUpTo(maxSamplesPerBin),
		binCount:      d.countUpTo(MaxBins)}
	for range d.countUpTo(MaxBinColumns) {
		c := binColumnHead{pageHead: d.readPageHead(b.binCount), part: anatomy.PagePart(d.countUpTo(int(anatomy.LastPart)))}
		if d.bad {
			break
		}
		b.columns = append(b.columns, c)
	}
	b.body = d.p
	if d.bad || b.flags&^flagZstd != 0 || b.first < 0 || b.first > maxSlot-maxSlots || b.slots < 1 ||
		b.samplesPerBin < 1 || b.binCount < 1 {
		return errPayload
	}
	return nil
}

// decodeBody decodes an inflated body: it fills ends with the number of bins that ended in each slot, and calls
// handle with the counts of one column at a time. It returns an error if the body contradicts the head; handle may
// have been called before.
func (b *binsHead) decodeBody(body []byte, ends []uint16, handle func(c binColumnHead, counts []uint16)) error {
	d := decoder{p: body}
	for i := range ends {
		ends[i] = uint16(d.countUpTo(MaxBins))
	}
	if int(sum(ends)) != b.binCount {
		return errPayload
	}
	var room [MaxBins]uint16
	counts := room[:b.binCount]
	for _, c := range b.columns {
		clear(counts)
		if !d.readCounts(counts, c.pageHead) {
			return errPayload
		}
		handle(c, counts)
	}
	if d.bad || len(d.p) > 0 {
		return errPayload
	}
	return nil
}
