package profile

import (
	"encoding/binary"
	"math"

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

// blockDecoder decodes blocks into its own memory: a block must be done with
// before the next.
type blockDecoder struct {
	zstd    *zstd.Decoder // may be shared
	head    blockHead
	values  []int64
	columns [][]int64
	samples []uint32
	counts  []uint16
	pages   []PageCount
	plain   []byte // a body that was inflated
}

func newBlockDecoder() (blockDecoder, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxPayload), zstd.WithDecodeAllCapLimit(true))
	return blockDecoder{zstd: z}, err
}

// forget leaves the memory to the last block.
func (a *blockDecoder) forget() { *a = blockDecoder{zstd: a.zstd, plain: a.plain} }

// resize returns s with length n, in its own memory if that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// unpack inflates a body, if it is flagged so. It is never longer than maxPayload,
// whatever it says.
func (a *blockDecoder) unpack(packed []byte, flags byte) ([]byte, error) {
	if flags&flagZstd == 0 {
		return packed, nil
	}
	var head zstd.Header
	if head.Decode(packed) != nil || !head.HasFCS ||
		head.FrameContentSize > uint64(min(maxPayload, maxRatio*len(packed))) {
		return nil, errPayload
	}
	a.plain = resize(a.plain, int(head.FrameContentSize))
	plain, err := a.zstd.DecodeAll(packed, a.plain[:0:len(a.plain)])
	if err != nil || len(plain) != len(a.plain) {
		return nil, errPayload
	}
	return plain, nil
}

// maxRatio is how much shorter zstd makes a body at most; a second of slots in
// which nothing happens is 160 zeros in each column.
const maxRatio = 1000

// decode reads the payload of a block, or of an overview, which is not put back on
// the grid.
func (a *blockDecoder) decode(payload []byte, h *Header, overview bool) (Block, error) {
	if err := a.head.read(payload, h, overview); err != nil {
		return Block{}, err
	}
	body, err := a.unpack(a.head.body, a.head.flags)
	if err != nil {
		return Block{}, err
	}
	b, d := a.head.Block, decoder{p: body}
	a.makeRoom(&b)
	if !a.take(&d, &b) || d.bad || len(d.p) > 0 {
		return Block{}, errPayload
	}
	if !overview {
		b.spread()
	}
	return b, nil
}

// take reads a body.
func (a *blockDecoder) take(d *decoder, b *Block) bool {
	for i, values := range b.Columns {
		c := &a.head.columns[i]
		if c.present > 0 && c.mode&allEqual == 0 {
			d.steps(values[1:c.present-1], c.mode&byLevel != 0)
		}
		c.complete(values[:b.points()])
	}
	for i := range b.Samples[:min(len(b.Samples), b.groups())] {
		b.Samples[i] = uint32(d.count(math.MaxUint32))
	}
	if b.Samples != nil && sum(b.Samples[:b.groups()]) != a.head.total {
		return false
	}
	for i, p := range a.head.pages {
		if !d.page(b.Pages[i].Counts[:b.groups()], p) {
			return false
		}
	}
	return true
}

// makeRoom gives the block its memory. Columns and counts of a decimated block are
// at the beginning of theirs, until it is spread.
func (a *blockDecoder) makeRoom(b *Block) {
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
