package profile

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"
)

// decoder takes varints from a payload. The first mistake sticks in bad, and
// from then on everything is zero, so that only loops need to look at it.
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
	if len(d.p) > 0 && d.p[0] < 0x80 {
		v := d.p[0]
		d.p = d.p[1:]
		return uint64(v)
	}
	v, n := binary.Uvarint(d.p)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.p = d.p[n:]
	return v
}

func (d *decoder) varint() int64 { return unzigzag(d.uvarint()) }

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
	head    blockHead
	values  []int64
	columns [][]int64
	samples []uint32
	counts  []uint16
	pages   []PageCount
	steps   []int64 // the samples, and then the dense pages
	skips   [2][]int64
	jumps   [2][]uint8
	queued  sequence // the one of the two that is read first
	plain   []byte   // a body that was inflated, or two streams
	zstd    *zstd.Decoder
}

// resize returns s with length n, in its own memory if that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// source is a body, packed or plain.
type source struct {
	packed  bool
	streams streams
	plain   decoder
}

// body opens the body of the block whose head was read.
func (a *arena) body() (source, error) {
	b := a.head.body
	switch a.head.packing() {
	case Packed:
		return source{packed: true, streams: a.open(b)}, nil
	case Zstd:
		var err error
		if b, err = a.inflate(b); err != nil {
			return source{}, err
		}
	}
	return source{plain: decoder{p: b}}, nil
}

// done is whether all of the body was read, or what is wanted of it, and makes
// sense.
func (src *source) done(trimmed bool) bool {
	if trimmed {
		return !src.streams.bad && !src.streams.of[0].bad && !src.streams.of[1].bad
	}
	if src.packed {
		return src.streams.done()
	}
	return !src.plain.bad && len(src.plain.p) == 0
}

// inflate undoes zstd. A body is never longer than maxPayload, whatever it says.
func (a *arena) inflate(body []byte) ([]byte, error) {
	d := decoder{p: body}
	n := d.count(maxPayload)
	if a.zstd == nil {
		z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxMemory(maxPayload), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return nil, err
		}
		a.zstd = z
	}
	var head zstd.Header
	if d.bad || head.Decode(d.p) != nil || head.HasFCS && head.FrameContentSize != uint64(n) || n > maxRatio*len(d.p) {
		return nil, errPayload
	}
	a.plain = resize(a.plain, n)
	out, err := a.zstd.DecodeAll(d.p, a.plain[:0])
	if err != nil || len(out) != n {
		return nil, errPayload
	}
	return out, nil
}

// maxRatio is how much shorter zstd makes a body at most; a second of slots in
// which nothing happens is 160 zeros in each column.
const maxRatio = 1000

// decodeBlock reads a payload of appendBlock into the memory of a, which must
// not be used for another block before this one is done with.
func decodeBlock(payload []byte, h *Header, a *arena) (Block, error) {
	return decodePayload(payload, h, a, false, nil)
}

// decodePayload reads the payload of a block or of an overview, which is not put
// back on the grid. Pages that are not wanted may be left out; nil wants all.
func decodePayload(payload []byte, h *Header, a *arena, overview bool, wanted map[uint64]int) (Block, error) {
	a.head.overview = overview
	if err := a.head.read(payload, h); err != nil {
		return Block{}, err
	}
	src, err := a.body()
	if err != nil {
		return Block{}, err
	}
	b := a.head.Block
	trimmed := src.packed && wanted != nil && a.trim(wanted)
	a.makeRoom(&b)
	if src.packed {
		a.takePacked(&src.streams, &b)
	}
	if !a.takeColumns(&src, &b) || !a.takePages(&src, &b) || !a.takeSamples(&src, &b) || !src.done(trimmed) {
		return Block{}, errPayload
	}
	if !a.head.overview {
		b.spread()
	}
	return b, nil
}

// makeRoom gives the block its memory. Columns and counts of a decimated block are
// at the beginning of theirs, until it is spread.
func (a *arena) makeRoom(b *Block) {
	width, sums := a.head.width(), b.N
	if b.overview {
		sums = b.groups()
	}
	a.values = resize(a.values, width*len(a.head.columns))
	a.columns = resize(a.columns, len(a.head.columns))
	b.Columns = a.columns
	for i := range b.Columns {
		b.Columns[i] = a.values[i*width : (i+1)*width : (i+1)*width]
	}
	if n := len(a.head.pages); n > 0 {
		a.pages, a.counts = resize(a.pages, n), resize(a.counts, n*sums)
		clear(a.counts)
		b.Pages = a.pages
		for i, p := range a.head.pages {
			b.Pages[i] = PageCount{Key: p.key, Counts: a.counts[i*sums : (i+1)*sums : (i+1)*sums]}
		}
	}
	if a.head.flags&flagSamples != 0 {
		a.samples = resize(a.samples, sums)
		b.Samples = a.samples
	}
}

// takeColumns makes the columns of their steps.
func (a *arena) takeColumns(src *source, b *Block) bool {
	points := b.points()
	for i, values := range b.Columns {
		c := &a.head.columns[i]
		if c.coded() && !src.packed {
			src.plain.steps(values[1:c.present-1], int(c.mode&wayMask))
		}
		c.complete(values[:points])
	}
	return !src.plain.bad
}

// coded is whether the body has steps of the column.
func (c *columnHead) coded() bool { return c.present > 0 && c.mode&allEqual == 0 }

// complete makes the values of the steps, which stand behind the first value.
func (c *columnHead) complete(values []int64) {
	switch {
	case c.present == 0:
		fill(values, NoValue)
		return
	case c.mode&allEqual != 0:
		fill(values[:c.present], c.first)
	default:
		restore(values[:c.present], c.first, c.last, c.quantum)
	}
	if c.bitmap == nil {
		return
	}
	for i, k := len(values)-1, c.present-1; i >= 0; i-- {
		if c.bitmap[i/8]&(1<<(i%8)) == 0 {
			values[i] = NoValue
		} else {
			values[i] = values[k]
			k--
		}
	}
}

func fill(values []int64, v int64) {
	for i := range values {
		values[i] = v
	}
}

// steps reads plain steps.
func (d *decoder) steps(steps []int64, way int) {
	last := int64(0)
	for i := range steps {
		s := d.varint()
		if way == repeated {
			last += s
			s = last
		}
		steps[i] = s
	}
}
