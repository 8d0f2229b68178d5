package profile

import (
	"encoding/binary"
	"errors"
)

// errPayload is the error for every block whose checksum holds but whose payload is malformed: the writer has a
// bug, or the file is forged.
var errPayload = errors.New("the profile holds a malformed block with a valid checksum: its writer has a bug, or it " +
	"was edited")

// blockHead is the decoded head of a block's payload; body is the rest, still compressed.
type blockHead struct {
	Block
	flags       byte
	columns     []columnHead
	sampleTotal uint64 // of the samples
	pages       []pageHead
	body        []byte
}

// columnHead is the head of a column: its mode flags, first and last value, quantum, and which slots have
// values.
type columnHead struct {
	mode                 byte
	first, last, quantum int64
	bitmap               []byte
	present              int // number of values
}

// pageHead is the head of a page: its key, hits, and number of slots with hits.
type pageHead struct {
	key, hits uint64
	entries   int
}

// readHead decodes the head of a payload and leaves the rest in body. It reuses the slices of the previous
// head. It returns errPayload if a number is out of range.
func (b *blockHead) readHead(payload []byte, h *Header, overview bool) error {
	d := decoder{p: payload}
	*b = blockHead{flags: d.byte(), columns: b.columns[:0], pages: b.pages[:0],
		Block: Block{CountedShare: b.CountedShare[:0], overview: overview}}
	limit := maxSlots
	if b.overview {
		limit = overviewSlots
	}
	b.First, b.N = d.varint(), d.countUpTo(limit)
	if b.flags&flagDecimated != 0 {
		b.MergedSlots = d.countUpTo(maxSlots)
	}
	for _, v := range []*int64{&b.RealNS, &b.MonoNS, &b.UncertainSlots, &b.LostRecords, &b.Records, &b.AgentCPUNS} {
		*v = d.varint()
	}
	if d.bad || b.flags&^allFlags != 0 || b.N < 1 || b.First < 0 || b.First > maxSlot-maxSlots ||
		(b.MergedSlots > 1) != (b.flags&flagDecimated != 0) || b.overview && b.MergedSlots != overviewEvery ||
		d.countUpTo(maxColumns) != len(h.Columns) {
		return errPayload
	}
	if b.overview {
		b.leadSlots = int(b.First % overviewEvery)
	}
	ahead, end := h.expectedClocks(&b.Block)
	b.MonoNS += end
	b.RealNS += b.MonoNS + ahead
	b.readColumns(&d, len(h.Columns))
	b.readPages(&d)
	if b.body = d.p; d.bad || b.keptValues()*len(b.columns) > maxGrowth*len(payload) {
		return errPayload
	}
	return nil
}

// keptValues returns how many values of each column are kept in memory: one for each slot, or one for each
// group of an overview.
func (b *blockHead) keptValues() int {
	if b.overview {
		return b.pointsPerColumn()
	}
	return b.N
}

// readColumns decodes the heads of all columns, and their counted shares if present.
func (b *blockHead) readColumns(d *decoder, columns int) {
	n := b.pointsPerColumn()
	for range columns {
		if d.bad {
			return
		}
		b.columns = append(b.columns, d.readColumnHead(n))
	}
	if b.flags&flagRan == 0 {
		b.CountedShare = nil
		return
	}
	for range columns {
		b.CountedShare = append(b.CountedShare, uint16(d.countUpTo(1<<16-1)))
	}
}

// readColumnHead decodes the head of a column of n values.
func (d *decoder) readColumnHead(n int) columnHead {
	c := columnHead{mode: d.byte(), present: n, quantum: 1}
	if c.mode&hasValues == 0 || c.mode&^allModes != 0 {
		if c.present = 0; c.mode != 0 {
			d.fail()
		}
		return c
	}
	if c.mode&withBitmap != 0 {
		c.bitmap = d.bytes((n + 7) / 8)
		if c.present = countOnes(c.bitmap, n); c.present < 1 {
			d.fail()
		}
	}
	c.first = d.varint()
	c.last = c.first
	if c.mode&allEqual != 0 {
		return c
	}
	c.quantum = int64(d.uvarint())
	c.last += d.varint()
	if c.present < 2 || c.quantum < 1 || c.quantum > 1 && c.last < c.first {
		d.fail()
	}
	return c
}

// countOnes returns how many of the first n bits of a bitmap are 1.
func countOnes(bitmap []byte, n int) int {
	count := 0
	for i := range n {
		if len(bitmap) > i/8 && bitmap[i/8]&(1<<(i%8)) != 0 {
			count++
		}
	}
	return count
}

// readPages decodes the sum of samples and the heads of the pages.
func (b *blockHead) readPages(d *decoder) {
	if b.flags&flagSamples != 0 {
		b.sampleTotal = d.uvarint()
	}
	slots := b.groupCount()
	for range d.countUpTo(maxPages) {
		p := d.readPageHead(slots)
		if d.bad {
			return
		}
		b.pages = append(b.pages, p)
	}
}

// readPageHead decodes the head of a page with the given number of counts.
func (d *decoder) readPageHead(counts int) (p pageHead) {
	if key := d.bytes(8); key != nil {
		p.key = binary.LittleEndian.Uint64(key)
	}
	p.hits = d.uvarint()
	p.entries = d.countUpTo(counts)
	if p.hits < uint64(p.entries) || p.hits > uint64(p.entries)*(1<<16-1) {
		d.fail()
	}
	return p
}
