package profile

import (
	"encoding/binary"
	"math"

	"github.com/klauspost/compress/zstd"
)

// decoder reads varints from a payload. After the first error bad stays true and all reads return 0, so that
// only loops must check it.
type decoder struct {
	p   []byte
	bad bool
}

// fail marks the payload as malformed and discards the rest.
func (d *decoder) fail() { d.bad, d.p = true, nil }

// bytes reads the next n bytes. If there are fewer, it fails and returns nil.
func (d *decoder) bytes(n int) []byte {
	if n > len(d.p) {
		d.fail()
		return nil
	}
	b := d.p[:n]
	d.p = d.p[n:]
	return b
}

// byte reads one byte.
func (d *decoder) byte() byte {
	if b := d.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// uvarint reads an unsigned varint. If it is malformed or incomplete, it fails and returns 0.
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

// varint reads a signed varint in zigzag encoding.
func (d *decoder) varint() int64 { return unzigzag(d.uvarint()) }

// unzigzag converts a zigzag-encoded number to a signed one.
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }

// countUpTo reads a count. If it is above limit, it fails and returns 0.
func (d *decoder) countUpTo(limit int) int {
	v := d.uvarint()
	if v > uint64(limit) {
		d.fail()
		return 0
	}
	return int(v)
}

// blockDecoder decodes blocks into memory that it reuses: the next decode overwrites the previous block.
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

// newBlockDecoder returns a decoder whose zstd decoder limits memory to maxPayload.
func newBlockDecoder() (blockDecoder, error) {
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(maxPayload), zstd.WithDecodeAllCapLimit(true))
	return blockDecoder{zstd: z}, err
}

// releaseMemory makes the decoder drop its references to the memory of the last block, so that the next decode
// does not overwrite that block.
func (a *blockDecoder) releaseMemory() { *a = blockDecoder{zstd: a.zstd, plain: a.plain} }

// resize returns s with length n, in its own memory if its capacity suffices, else in new memory without its
// values.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

// inflate decompresses a body if its flags say that it is compressed. It returns an error for a body that
// claims more than maxPayload bytes or maxRatio times its length.
func (a *blockDecoder) inflate(packed []byte, flags byte) ([]byte, error) {
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

// maxRatio limits how many times longer a decompressed body may be: a second of slots without events is 160
// zeros in each column.
const maxRatio = 1000

// decode decodes the payload of a block or an overview. Merged slots of a block are expanded to one value per
// slot; an overview keeps its groups.
func (a *blockDecoder) decode(payload []byte, h *Header, overview bool) (Block, error) {
	if err := a.head.readHead(payload, h, overview); err != nil {
		return Block{}, err
	}
	body, err := a.inflate(a.head.body, a.head.flags)
	if err != nil {
		return Block{}, err
	}
	b, d := a.head.Block, decoder{p: body}
	a.allocate(&b)
	if !a.decodeBody(&d, &b) || d.bad || len(d.p) > 0 {
		return Block{}, errPayload
	}
	if !overview {
		b.restoreGrid()
	}
	return b, nil
}

// decodeBody reads the columns, samples and page counts of a body into the block; false if they contradict the
// head.
func (a *blockDecoder) decodeBody(d *decoder, b *Block) bool {
	for i, values := range b.Columns {
		c := &a.head.columns[i]
		if c.present > 0 && c.mode&allEqual == 0 {
			d.readSteps(values[1:c.present-1], c.mode&byLevel != 0)
		}
		c.restoreValues(values[:b.pointsPerColumn()])
	}
	for i := range b.Samples[:min(len(b.Samples), b.groupCount())] {
		b.Samples[i] = uint32(d.countUpTo(math.MaxUint32))
	}
	if b.Samples != nil && sum(b.Samples[:b.groupCount()]) != a.head.sampleTotal {
		return false
	}
	for i, p := range a.head.pages {
		if !d.readCounts(b.Pages[i].Counts[:b.groupCount()], p) {
			return false
		}
	}
	return true
}

// allocate gives the block slices for its values. Values of a block with merged slots are at the start of their
// slices until restoreGrid expands them.
func (a *blockDecoder) allocate(b *Block) {
	width, sums := a.head.keptValues(), b.N
	if b.overview {
		sums = b.groupCount()
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

// restoreValues computes the values of a column from its steps, which are stored behind the first value, and
// sets NoValue where the bitmap has none.
func (c *columnHead) restoreValues(values []int64) {
	switch {
	case c.present == 0:
		fill(values, NoValue)
		return
	case c.mode&allEqual != 0:
		fill(values[:c.present], c.first)
	default:
		restoreQuanta(values[:c.present], c.first, c.last, c.quantum)
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

// fill sets all values to v.
func fill(values []int64, v int64) {
	for i := range values {
		values[i] = v
	}
}
