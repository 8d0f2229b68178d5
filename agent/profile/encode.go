package profile

import (
	"encoding/binary"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// The payload of a block frame is a head, all of varints (signed ones zigzag):
//
//	flags (1: samples, 2: ran, 4: decimated; 8 and 16: packing of the body)
//	First, N, and, if decimated, Every
//	RealNS and MonoNS, less what the header makes of the slot (Header.clocks)
//	Missing, LostRecords, Records, AgentCPUNS
//	number of columns; per column: mode (1 byte: the way, 4: has values,
//	  8: a bitmap of N bits follows tells which slots have one, 16: all are
//	  equal), bitmap, first value, and unless all are equal: quantum, last
//	  value less the first, mean of the numbers to come (1 byte)
//	per column, if flagged: Ran
//	if samples: their sum, way and mean (1 byte each)
//	number of pages; per page: key (8 bytes), hits, slots in which it was hit
//
// and a body. Of every column that is not all equal it has the steps between
// its quanta, but not the first value, which is in the head, and not the last,
// which follows from it; then the samples, then the pages.
//
// The body is packed (see steps.go, tables.go): two streams of the entropy coder,
// each of a state of 8 bytes and words of 4, or of nothing; the length of the
// first stands before it. The steps of columns, the samples and the dense pages
// (pageForm.dense) go to the first and the second in turn; then every other page
// has the slots it skips in the first and its hits in the second. Or the body is
// plain, with the samples last:
//
//	per column the steps as signed varints, in the way "repeated" less the
//	  step before
//	per page its slots: those skipped since the last one times 16, plus the
//	  count less one up to 14, or 15 and the count less 16 in a varint
//	samples per slot
//
// or it is zstd's of that, behind the length of the plain body.
const (
	flagSamples   = 1
	flagRan       = 2
	flagDecimated = 4
	packingShift  = 3
	allFlags      = 31

	wayMask    = 3
	hasValues  = 4
	withBitmap = 8
	allEqual   = 16
	allModes   = 31

	maxNibble = 15
)

// Packing is how the body of blocks is written.
type Packing int

const (
	// Packed is our own coder, a third smaller than Zstd.
	Packed Packing = iota
	// Plain needs no more than varints to be read.
	Plain
	// Zstd is Plain compressed, for readers that have that and not ours.
	Zstd
)

// encoder makes payloads. Its memory is used again.
type encoder struct {
	header  *Header
	options Options
	tables  *tableSet
	streams [2]entropyEncoder
	turn    int // which stream the next sequence goes to
	// perQuantum is which part of a median step a quantum is at most.
	perQuantum int64
	zstd       *zstd.Encoder
	body       []byte
	present    []int64
	quanta     []int64
	scratch    []int64
	pages      []PageCount
}

func newEncoder(h *Header, o Options) (*encoder, error) {
	e := &encoder{header: h, options: o, tables: tables()}
	e.streams[0].tables, e.streams[1].tables = e.tables, e.tables
	if o.Packing < Packed || o.Packing > Zstd {
		return nil, fmt.Errorf("packing %d", o.Packing)
	}
	if o.Packing != Zstd {
		return e, nil
	}
	var err error
	e.zstd, err = zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false), zstd.WithWindowSize(1<<16))
	return e, err
}

// check refuses a block that a reader would refuse.
func (b *Block) check(columns int) error {
	switch {
	case b.N < 1 || b.N > maxSlots:
		return fmt.Errorf("%d slots", b.N)
	case b.First < 0 || b.First > maxSlot-maxSlots:
		return fmt.Errorf("first slot %d", b.First)
	case len(b.Columns) != columns:
		return fmt.Errorf("%d columns, the header has %d", len(b.Columns), columns)
	case len(b.Pages) > maxPages:
		return fmt.Errorf("%d pages", len(b.Pages))
	case b.Samples != nil && len(b.Samples) != b.N:
		return fmt.Errorf("samples of %d slots, not %d", len(b.Samples), b.N)
	case b.Ran != nil && len(b.Ran) != columns:
		return fmt.Errorf("shares of %d columns, not %d", len(b.Ran), columns)
	case b.Every < 0 || b.Every > maxSlots:
		return fmt.Errorf("%d slots merged", b.Every)
	}
	for i, c := range b.Columns {
		if len(c) != b.N {
			return fmt.Errorf("column %d has %d slots, not %d", i, len(c), b.N)
		}
	}
	for i, p := range b.Pages {
		if len(p.Counts) != b.N {
			return fmt.Errorf("page %d has %d slots, not %d", i, len(p.Counts), b.N)
		}
	}
	return nil
}

// appendBlock appends the payload of a block that was checked. n is its number
// of slots; its slices are shorter if it is decimated.
func (e *encoder) appendBlock(dst []byte, b *Block) []byte {
	e.body, e.turn, e.perQuantum = e.body[:0], 0, stepsPerQuantum
	if b.overview {
		e.perQuantum = overviewPerQuantum
	}
	dst = e.appendHead(dst, b)
	dst = binary.AppendUvarint(dst, uint64(len(b.Columns)))
	for _, c := range b.Columns {
		dst = e.appendColumn(dst, c)
	}
	for _, r := range b.Ran {
		dst = binary.AppendUvarint(dst, uint64(r))
	}
	pages := e.keptPages(b)
	if b.Samples != nil {
		dst = e.appendSamples(dst, b.Samples)
	}
	dst = binary.AppendUvarint(dst, uint64(len(pages)))
	for _, p := range pages {
		dst = e.appendPage(dst, p)
	}
	if e.options.Packing == Packed {
		e.appendSparse(pages)
		return e.appendStreams(dst)
	}
	for _, s := range b.Samples {
		e.body = binary.AppendUvarint(e.body, uint64(s))
	}
	if e.options.Packing == Plain {
		return append(dst, e.body...)
	}
	dst = binary.AppendUvarint(dst, uint64(len(e.body)))
	return e.zstd.EncodeAll(e.body, dst)
}

// stream is where the next sequence goes.
func (e *encoder) stream() *entropyEncoder {
	e.turn ^= 1
	return &e.streams[e.turn^1]
}

// appendStreams appends both, behind the length of the first.
func (e *encoder) appendStreams(dst []byte) []byte {
	e.body = e.streams[0].appendTo(e.body[:0])
	dst = binary.AppendUvarint(dst, uint64(len(e.body)))
	return e.streams[1].appendTo(append(dst, e.body...))
}

func (e *encoder) appendHead(dst []byte, b *Block) []byte {
	flags := byte(e.options.Packing) << packingShift
	if b.Samples != nil {
		flags |= flagSamples
	}
	if b.Ran != nil {
		flags |= flagRan
	}
	if b.Every > 1 {
		flags |= flagDecimated
	}
	dst = binary.AppendVarint(append(dst, flags), b.First)
	dst = binary.AppendUvarint(dst, uint64(b.N))
	if b.Every > 1 {
		dst = binary.AppendUvarint(dst, uint64(b.Every))
	}
	ahead, mono := e.header.clocks(b)
	for _, v := range []int64{b.RealNS - b.MonoNS - ahead, b.MonoNS - mono, b.Missing, b.LostRecords, b.Records, b.AgentCPUNS} {
		dst = binary.AppendVarint(dst, v)
	}
	return dst
}

// clocks are how far CLOCK_REALTIME is ahead of CLOCK_MONOTONIC by the header,
// and when a block ends: the clocks of blocks are close to these.
func (h *Header) clocks(b *Block) (ahead, end int64) {
	const farthest = 9e9 // seconds that int64 has nanoseconds for
	if h.RunReal > -farthest && h.RunReal < farthest {
		ahead = int64(h.RunReal*1e9) - h.RunNS
	}
	return ahead, h.BaseNS + (b.First+int64(b.N))*h.StepNS
}
