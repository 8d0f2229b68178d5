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
	steps   []int64
	plain   []byte
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
	entropy entropyDecoder
	plain   decoder
}

// body opens the body of the block whose head was read.
func (a *arena) body() (source, error) {
	b := a.head.body
	switch a.head.packing() {
	case Packed:
		return source{packed: true, entropy: newEntropyDecoder(b)}, nil
	case Zstd:
		var err error
		if b, err = a.inflate(b); err != nil {
			return source{}, err
		}
	}
	return source{plain: decoder{p: b}}, nil
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
	if err := a.head.read(payload, h); err != nil {
		return Block{}, err
	}
	src, err := a.body()
	if err != nil {
		return Block{}, err
	}
	b := a.head.Block
	ok := a.takeColumns(&src, &b) && a.takePages(&src, &b) && a.takeSamples(&src, &b)
	if !ok || src.packed && !src.entropy.done() || !src.packed && (src.plain.bad || len(src.plain.p) > 0) {
		return Block{}, errPayload
	}
	b.spread()
	return b, nil
}

// takeColumns decodes the columns, each at the beginning of its memory if the
// block is decimated.
func (a *arena) takeColumns(src *source, b *Block) bool {
	a.values = resize(a.values, b.N*len(a.head.columns))
	b.Columns = resize(a.columns, len(a.head.columns))
	a.columns = b.Columns
	points := b.points()
	for i := range b.Columns {
		values := a.values[i*b.N : (i+1)*b.N : (i+1)*b.N]
		b.Columns[i] = values
		src.column(values[:points], &a.head.columns[i])
	}
	return !src.entropy.bad && !src.plain.bad
}

// column decodes one column.
func (src *source) column(values []int64, c *columnHead) {
	switch {
	case c.present == 0:
		fill(values, NoValue)
		return
	case c.mode&allEqual != 0:
		fill(values[:c.present], c.first)
	default:
		steps := values[1 : c.present-1]
		if way := int(c.mode & wayMask); src.packed {
			getSteps(&src.entropy, steps, way, c.mean)
		} else {
			src.plain.steps(steps, way)
		}
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
