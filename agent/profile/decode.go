package profile

import (
	"encoding/binary"
	"errors"
	"math"
)

// errPayload is all that is said of a block whose checksum holds and whose
// payload makes no sense: a writer with a mistake, or a forged file.
var errPayload = errors.New("malformed block")

// decoder takes a payload apart. The first mistake sticks in bad, and from
// then on everything is zero, so that only loops need to look at it.
type decoder struct {
	p   []byte
	bad bool
}

func (d *decoder) fail() { d.bad, d.p = true, nil }

// bytes returns the next n bytes, nil if there are fewer.
func (d *decoder) bytes(n int) []byte {
	if n > len(d.p) {
		d.fail()
		return nil
	}
	b := d.p[:n]
	d.p = d.p[n:]
	return b
}

func (d *decoder) byte() byte {
	if b := d.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (d *decoder) uvarint() uint64 {
	v, rest := uvarint(d.p)
	if d.p = rest; rest == nil {
		d.fail()
	}
	return v
}

// uvarint returns the varint at the beginning of p and what follows it, nil if
// there is none. Loops over many call it with a slice of their own, which stays
// in registers.
func uvarint(p []byte) (uint64, []byte) {
	if len(p) > 0 && p[0] < 0x80 {
		return uint64(p[0]), p[1:]
	}
	if len(p) > 1 && p[1] < 0x80 {
		return uint64(p[0]&0x7f) | uint64(p[1])<<7, p[2:]
	}
	v, n := binary.Uvarint(p)
	if n <= 0 {
		return 0, nil
	}
	return v, p[n:]
}

func (d *decoder) varint() int64 {
	return unzigzag(d.uvarint())
}

func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// count reads a number of things, at most limit.
func (d *decoder) count(limit int) int {
	v := d.uvarint()
	if v > uint64(limit) {
		d.fail()
		return 0
	}
	return int(v)
}

// arena is the memory of a decoded block. A reader that streams uses one for
// all blocks.
type arena struct {
	values  []int64
	columns [][]int64
	samples []uint32
	counts  []uint16
	pages   []PageCount
}

// resize returns s with length n, in its own memory if that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// decodeBlock reads a payload of appendBlock into the memory of a, which must
// not be used for another block before this one is done with.
func decodeBlock(payload []byte, columns int, a *arena) (Block, error) {
	d := &decoder{p: payload}
	flags := d.byte()
	b := Block{First: d.varint(), N: d.count(maxSlots)}
	for _, v := range []*int64{&b.RealNS, &b.MonoNS, &b.Missing, &b.LostRecords, &b.Records, &b.AgentCPUNS} {
		*v = d.varint()
	}
	given := d.count(maxColumns)
	if d.bad || flags&^flagSamples != 0 || given != columns || b.N < 1 || b.N*columns > maxCells ||
		b.First < 0 || b.First > maxSlot-maxSlots {
		return Block{}, errPayload
	}
	d.columns(&b, columns, a)
	if flags&flagSamples != 0 {
		d.samples(&b, a)
	}
	d.pages(&b, a)
	if d.bad || len(d.p) > 0 {
		return Block{}, errPayload
	}
	return b, nil
}

// columns reads the columns. A value takes a byte, or a bit if it is missing,
// so that memory is at most 64 times the payload.
func (d *decoder) columns(b *Block, columns int, a *arena) {
	if len(d.p)*8 < b.N*columns {
		d.fail()
		return
	}
	a.values = resize(a.values, b.N*columns)
	a.columns = resize(a.columns, columns)
	b.Columns = a.columns
	for i := range b.Columns {
		b.Columns[i] = a.values[i*b.N : (i+1)*b.N : (i+1)*b.N]
		d.column(b.Columns[i])
	}
}

// column reads one column.
func (d *decoder) column(out []int64) {
	mode := d.byte()
	order := mode & orderMask
	if order != 1 && order != 2 || mode&^(orderMask|withBitmap) != 0 {
		d.fail()
		return
	}
	var bitmap []byte
	if mode&withBitmap != 0 {
		bitmap = d.bytes((len(out) + 7) / 8)
	}
	var u uint64
	var last, delta int64
	begun := false
	p := d.p
	for i := range out {
		if bitmap != nil && bitmap[i/8]&(1<<(i%8)) == 0 {
			out[i] = NoValue
			continue
		}
		if u, p = uvarint(p); p == nil {
			d.fail()
			return
		}
		switch v := unzigzag(u); {
		case !begun:
			begun, last = true, v
		case order == 1:
			last += v
		default:
			delta += v
			last += delta
		}
		out[i] = last
	}
	d.p = p
}

// samples reads the samples per slot.
func (d *decoder) samples(b *Block, a *arena) {
	if len(d.p) < b.N {
		d.fail()
		return
	}
	a.samples = resize(a.samples, b.N)
	b.Samples = a.samples
	for i := range b.Samples {
		b.Samples[i] = uint32(d.count(math.MaxUint32))
	}
}

// pages reads the pages; of those without one Pages is nil.
func (d *decoder) pages(b *Block, a *arena) {
	n := d.count(maxPages)
	if n == 0 || n*b.N > maxCells || len(d.p) < 9*n {
		if n > 0 {
			d.fail()
		}
		return
	}
	a.pages = resize(a.pages, n)
	a.counts = resize(a.counts, n*b.N)
	clear(a.counts)
	b.Pages = a.pages
	for i := range b.Pages {
		b.Pages[i] = PageCount{Counts: a.counts[i*b.N : (i+1)*b.N : (i+1)*b.N]}
		d.page(&b.Pages[i])
	}
}

// page reads one page.
func (d *decoder) page(p *PageCount) {
	if key := d.bytes(8); key != nil {
		p.Key = binary.LittleEndian.Uint64(key)
	}
	entries := d.count(len(p.Counts))
	slots := uint64(len(p.Counts))
	slot, rest := uint64(0), d.p
	for range entries {
		var v, more uint64
		if v, rest = uvarint(rest); rest == nil {
			break
		}
		count := v&maxNibble + 1
		if count > maxNibble {
			if more, rest = uvarint(rest); rest == nil {
				break
			}
			count += more
		}
		if slot += v >> 4; slot >= slots || more >= math.MaxUint16-maxNibble {
			rest = nil
			break
		}
		p.Counts[slot] = uint16(count)
		slot++
	}
	if d.p = rest; rest == nil {
		d.fail()
	}
}
