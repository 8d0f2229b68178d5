package profile

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// The payload of a block frame is a head, all of varints (signed ones zigzag):
//
//	flags (1: samples, 2: ran, 4: decimated, 8: zstd)
//	First, N, and, if decimated, Every
//	RealNS and MonoNS, less what the header makes of the slot (Header.clocks)
//	Missing, LostRecords, Records, AgentCPUNS
//	number of columns; per column: mode (1 byte: 1: has values, 2: a bitmap
//	  of N bits follows tells which slots have one, 4: all are equal, 8: steps
//	  are levelled), bitmap, first value, and unless all are equal: quantum, last
//	  value less the first
//	per column, if flagged: Ran
//	if samples: their sum
//	number of pages; per page: key (8 bytes), hits, slots in which it was hit
//
// and a body, which is zstd's if that is flagged:
//
//	per column that is not all equal the steps between its quanta (steps.go),
//	  but not the first value, which is in the head, and not the last, which
//	  follows from it
//	samples per slot
//	per page its slots: those skipped since the last one times 16, plus the
//	  count less one up to 14, or 15 and the count less 16 in a varint
const (
	flagSamples   = 1
	flagRan       = 2
	flagDecimated = 4
	flagZstd      = 8
	allFlags      = 15

	hasValues  = 1
	withBitmap = 2
	allEqual   = 4
	byLevel    = 8
	allModes   = 15

	maxNibble = 15
)

// encoder encodes payloads of frames. It reuses its memory.
type encoder struct {
	header  *Header
	options WriterOptions
	// perQuantum is the smallest number of quanta in the median step of a column.
	perQuantum int64
	zstd       *zstd.Encoder
	body       []byte
	present    []int64
	quanta     []int64
	scratch    []int64
	pages      []PageCount
}

// newEncoder returns an encoder for the columns of a header.
func newEncoder(h *Header, o WriterOptions) (*encoder, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<16), zstd.WithSingleSegment(true))
	return &encoder{header: h, options: o, zstd: z}, err
}

// check returns an error if a reader would reject the block: lengths that disagree, or numbers out of range.
func (b *Block) check(columns int) error {
	switch {
	case b.N < 1 || b.N > maxSlots:
		return fmt.Errorf("the block has %d slots, want 1 to %d", b.N, maxSlots)
	case b.First < 0 || b.First > maxSlot-maxSlots:
		return fmt.Errorf("invalid first slot %d of a block: want a slot number from 0", b.First)
	case len(b.Columns) != columns:
		return fmt.Errorf("the block has %d columns, but the header has %d", len(b.Columns), columns)
	case len(b.Pages) > maxPages:
		return fmt.Errorf("the block has %d pages of code addresses, want at most %d", len(b.Pages), maxPages)
	case b.Samples != nil && len(b.Samples) != b.N:
		return fmt.Errorf("the block has sample counts of %d slots, want %d", len(b.Samples), b.N)
	case b.CountedShare != nil && len(b.CountedShare) != columns:
		return fmt.Errorf("the block has counted shares of %d columns, want %d", len(b.CountedShare), columns)
	case b.MergedSlots < 0 || b.MergedSlots > maxSlots:
		return fmt.Errorf("the block merges %d slots, want 0 to %d", b.MergedSlots, maxSlots)
	}
	for i, c := range b.Columns {
		if len(c) != b.N {
			return fmt.Errorf("column %d of the block has %d slots, want %d", i, len(c), b.N)
		}
	}
	for i, p := range b.Pages {
		if len(p.Counts) != b.N {
			return fmt.Errorf("page %d of the block has %d slots, want %d", i, len(p.Counts), b.N)
		}
	}
	return b.Bins.check(b.N)
}

// appendBlock appends the payload of a block that was checked. The slices of a block with merged slots are
// shorter than its number of slots.
func (e *encoder) appendBlock(dst []byte, b *Block) []byte {
	e.body, e.perQuantum = e.body[:0], stepsPerQuantum
	if b.overview {
		e.perQuantum = overviewPerQuantum
	}
	flags := len(dst)
	dst = e.appendHead(dst, b)
	dst = binary.AppendUvarint(dst, uint64(len(b.Columns)))
	for _, c := range b.Columns {
		dst = e.appendColumn(dst, c)
	}
	for _, r := range b.CountedShare {
		dst = binary.AppendUvarint(dst, uint64(r))
	}
	if b.Samples != nil {
		dst = binary.AppendUvarint(dst, sum(b.Samples))
	}
	for _, s := range b.Samples {
		e.body = binary.AppendUvarint(e.body, uint64(s))
	}
	pages := e.keptPages(b)
	dst = binary.AppendUvarint(dst, uint64(len(pages)))
	for _, p := range pages {
		dst = e.appendPage(dst, p)
	}
	return e.appendBody(dst, flags)
}

// appendBody appends the body to dst: compressed by zstd if that is shorter, which it marks in the flags byte
// at index flags.
func (e *encoder) appendBody(dst []byte, flags int) []byte {
	if packed := e.zstd.EncodeAll(e.body, dst); len(packed)-len(dst) < len(e.body) {
		packed[flags] |= flagZstd
		return packed
	}
	return append(dst, e.body...)
}

// appendHead appends the flags, slots, clocks and record counts of a block.
func (e *encoder) appendHead(dst []byte, b *Block) []byte {
	flags := byte(0)
	if b.Samples != nil {
		flags |= flagSamples
	}
	if b.CountedShare != nil {
		flags |= flagRan
	}
	if b.MergedSlots > 1 {
		flags |= flagDecimated
	}
	dst = binary.AppendVarint(append(dst, flags), b.First)
	dst = binary.AppendUvarint(dst, uint64(b.N))
	if b.MergedSlots > 1 {
		dst = binary.AppendUvarint(dst, uint64(b.MergedSlots))
	}
	ahead, mono := e.header.expectedClocks(b)
	for _, v := range []int64{b.RealNS - b.MonoNS - ahead, b.MonoNS - mono, b.UncertainSlots, b.LostRecords, b.Records,
		b.AgentCPUNS} {
		dst = binary.AppendVarint(dst, v)
	}
	return dst
}

// expectedClocks returns, in ns, how far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC by the header, and the
// CLOCK_MONOTONIC time at which a block ends by the grid. Blocks store their clocks as small differences from
// these.
func (h *Header) expectedClocks(b *Block) (ahead, end int64) {
	const farthest = 9e9 // seconds that int64 has nanoseconds for
	if h.RunReal > -farthest && h.RunReal < farthest {
		ahead = int64(h.RunReal*1e9) - h.RunNS
	}
	return ahead, h.BaseNS + (b.First+int64(b.N))*h.StepNS
}
