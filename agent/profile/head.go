package profile

import (
	"encoding/binary"
	"errors"
)

// errPayload is all that is said of a block whose checksum holds and whose
// payload makes no sense: a writer with a mistake, or a forged file.
var errPayload = errors.New("malformed block")

// blockHead is what the first part of a payload says; the body follows.
type blockHead struct {
	Block
	flags   byte
	columns []columnHead
	total   uint64 // of the samples
	pages   []pageHead
	body    []byte
}

// columnHead is what the head says of a column. last is the last value.
type columnHead struct {
	mode                 byte
	first, last, quantum int64
	bitmap               []byte
	present              int // number of values
}

// pageHead is what the head says of a page: how often it was hit, and in how many
// slots.
type pageHead struct {
	key, hits uint64
	entries   int
}

// read takes the head of a payload apart. Its slices are used again.
func (b *blockHead) read(payload []byte, h *Header, overview bool) error {
	d := decoder{p: payload}
	*b = blockHead{flags: d.byte(), columns: b.columns[:0], pages: b.pages[:0],
		Block: Block{Ran: b.Ran[:0], overview: overview}}
	most := maxSlots
	if b.overview {
		most = overviewSlots
	}
	b.First, b.N = d.varint(), d.count(most)
	if b.flags&flagDecimated != 0 {
		b.Every = d.count(maxSlots)
	}
	for _, v := range []*int64{&b.RealNS, &b.MonoNS, &b.Missing, &b.LostRecords, &b.Records, &b.AgentCPUNS} {
		*v = d.varint()
	}
	if d.bad || b.flags&^allFlags != 0 || b.N < 1 || b.First < 0 || b.First > maxSlot-maxSlots ||
		(b.Every > 1) != (b.flags&flagDecimated != 0) || b.overview && b.Every != overviewEvery ||
		d.count(maxColumns) != len(h.Columns) {
		return errPayload
	}
	if b.overview {
		b.lead = int(b.First % overviewEvery)
	}
	ahead, end := h.clocks(&b.Block)
	b.MonoNS += end
	b.RealNS += b.MonoNS + ahead
	b.readColumns(&d, len(h.Columns))
	b.readPages(&d)
	if b.body = d.p; d.bad || b.width()*len(b.columns) > maxGrowth*len(payload) {
		return errPayload
	}
	return nil
}

// width is how many values of each column are kept in memory: those of an
// overview are not put back on the grid.
func (b *blockHead) width() int {
	if b.overview {
		return b.points()
	}
	return b.N
}

func (b *blockHead) readColumns(d *decoder, columns int) {
	n := b.points()
	for range columns {
		if d.bad {
			return
		}
		b.columns = append(b.columns, d.columnHead(n))
	}
	if b.flags&flagRan == 0 {
		b.Ran = nil
		return
	}
	for range columns {
		b.Ran = append(b.Ran, uint16(d.count(1<<16-1)))
	}
}

// columnHead reads what is said of a column of n values.
func (d *decoder) columnHead(n int) columnHead {
	c := columnHead{mode: d.byte(), present: n, quantum: 1}
	if c.mode&hasValues == 0 || c.mode&^allModes != 0 {
		if c.present = 0; c.mode != 0 {
			d.fail()
		}
		return c
	}
	if c.mode&withBitmap != 0 {
		c.bitmap = d.bytes((n + 7) / 8)
		if c.present = ones(c.bitmap, n); c.present < 1 {
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

// ones counts the slots that a bitmap has, of n.
func ones(bitmap []byte, n int) int {
	count := 0
	for i := range n {
		if len(bitmap) > i/8 && bitmap[i/8]&(1<<(i%8)) != 0 {
			count++
		}
	}
	return count
}

func (b *blockHead) readPages(d *decoder) {
	if b.flags&flagSamples != 0 {
		b.total = d.uvarint()
	}
	slots := b.groups()
	for range d.count(maxPages) {
		p := d.pageHead(slots)
		if d.bad {
			return
		}
		b.pages = append(b.pages, p)
	}
}

// pageHead reads the head of a page with the given number of counts.
func (d *decoder) pageHead(counts int) (p pageHead) {
	if key := d.bytes(8); key != nil {
		p.key = binary.LittleEndian.Uint64(key)
	}
	p.hits = d.uvarint()
	p.entries = d.count(counts)
	if p.hits < uint64(p.entries) || p.hits > uint64(p.entries)*(1<<16-1) {
		d.fail()
	}
	return p
}
