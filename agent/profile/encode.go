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
//	if samples: their sum, way and mean (1 byte each) of those in no page
//	number of pages; per page: key (8 bytes), hits, slots in which it was hit
//
// and a body. Of every column that is not all equal it has the steps between
// its quanta, but not the first value, which is in the head, and not the last,
// which follows from it; then the pages, then the samples.
//
// The body is packed (see steps.go, tables.go): the entropy coder's state, 4
// bytes, and words of 2. Or it is plain:
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
	entropy entropyEncoder
	zstd    *zstd.Encoder
	body    []byte
	present []int64
	quanta  []int64
	scratch []int64
	// rest are the samples in no page, coded in a way from a mean on.
	rest  []int64
	way   int
	mean  tracker
	pages []PageCount
}

func newEncoder(h *Header, o Options) (*encoder, error) {
	e := &encoder{header: h, options: o, tables: tables()}
	e.entropy.tables = e.tables
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
	e.body = e.body[:0]
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
		dst = e.appendSamples(dst, b.Samples, pages)
	}
	dst = binary.AppendUvarint(dst, uint64(len(pages)))
	for _, p := range pages {
		dst = e.appendPage(dst, p)
	}
	if e.options.Packing == Packed {
		if b.Samples != nil {
			putSteps(&e.entropy, e.rest, e.way, e.mean)
		}
		return e.entropy.appendTo(dst)
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
