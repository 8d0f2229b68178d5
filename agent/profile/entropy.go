package profile

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The coder is rANS (Duda, "Asymmetric numeral systems", 2013) with a state of
// 32 bits and words of 16. It takes what Huffman's code, which zstd uses for
// literals, rounds up to whole bits, and the decoder does without a division.
const (
	stateLow = 1 << 16
	wordBits = 16
)

// entropyEncoder collects choices and codes them backwards, so that they are
// decoded forwards.
type entropyEncoder struct {
	tables  *tableSet
	choices []choice
	words   []uint16
}

// choice is one symbol, or (shift < probBits) a number of plain bits.
type choice struct {
	start, freq uint16
	shift       uint8
}

func (e *entropyEncoder) symbol(t *table, n uint8) {
	e.choices = append(e.choices, choice{t.start[n], t.freq[n], probBits})
}

// plain writes the n low bits of v.
func (e *entropyEncoder) plain(v uint64, n uint) {
	for n > 8 {
		e.choices = append(e.choices, choice{uint16(v & 0xff), 1, 8})
		v, n = v>>8, n-8
	}
	if n > 0 {
		e.choices = append(e.choices, choice{uint16(v & (1<<n - 1)), 1, uint8(n)})
	}
}

// number writes v as one of a family with the mean m.
func (e *entropyEncoder) number(family int, m tracker, v uint64) {
	i, low := m.place()
	t := &e.tables[family*perFamily+i]
	if top := v >> low; top < uint64(t.escape) {
		e.symbol(t, uint8(top))
		e.plain(v, low)
	} else {
		e.symbol(t, t.escape)
		n := uint(bits.Len64(v))
		e.plain(uint64(n), 7)
		if n > 1 {
			e.plain(v, n-1)
		}
	}
}

// appendTo codes the choices and forgets them.
func (e *entropyEncoder) appendTo(dst []byte) []byte {
	state := uint32(stateLow)
	e.words = e.words[:0]
	for _, c := range slices.Backward(e.choices) {
		if uint64(state) >= uint64(c.freq)<<(32-c.shift) {
			e.words = append(e.words, uint16(state))
			state >>= wordBits
		}
		f := uint32(c.freq)
		state = state/f<<c.shift + state%f + uint32(c.start)
	}
	e.choices = e.choices[:0]
	dst = binary.LittleEndian.AppendUint32(dst, state)
	for _, w := range slices.Backward(e.words) {
		dst = binary.LittleEndian.AppendUint16(dst, w)
	}
	return dst
}

// entropyDecoder takes numbers out again. What is behind the end is zeros; the
// end itself is checked by done.
type entropyDecoder struct {
	tables *tableSet
	state  uint32
	p      []byte
	bad    bool
}

func newEntropyDecoder(p []byte) entropyDecoder {
	d := entropyDecoder{tables: tables()}
	if len(p) < 4 {
		d.bad = true
		return d
	}
	d.state, d.p = binary.LittleEndian.Uint32(p), p[4:]
	return d
}

func (d *entropyDecoder) refill() {
	if len(d.p) < 2 {
		d.bad, d.state = true, stateLow
		return
	}
	d.state = d.state<<wordBits | uint32(binary.LittleEndian.Uint16(d.p))
	d.p = d.p[2:]
}

func (d *entropyDecoder) plain(n uint) uint64 {
	v := uint64(0)
	for at := uint(0); at < n; at += 8 {
		k := min(n-at, 8)
		v |= uint64(d.state&(1<<k-1)) << at
		if d.state >>= k; d.state < stateLow {
			d.refill()
		}
	}
	return v
}

// number is the inverse of the encoder's.
func (d *entropyDecoder) number(family int, m tracker) uint64 {
	i, low := m.place()
	t := &d.tables[family*perFamily+i]
	slot := d.state & (probTotal - 1)
	n := t.symbol[slot]
	d.state = t.next(d.state, n)
	if d.state < stateLow {
		d.refill()
	}
	return d.rest(n, t.escape, low)
}

// rest completes a number of which the symbol was read.
func (d *entropyDecoder) rest(n, escape uint8, low uint) uint64 {
	if d.state < stateLow { // no word was left
		d.refill()
	}
	if n == escape {
		return d.escaped()
	}
	if low > 0 {
		return uint64(n)<<low | d.plain(low)
	}
	return uint64(n)
}

// escaped reads a number that no table has.
func (d *entropyDecoder) escaped() uint64 {
	n := uint(d.plain(7))
	if n > 64 {
		d.bad = true
		return 0
	}
	if n < 2 {
		return uint64(n)
	}
	return 1<<(n-1) | d.plain(n-1)
}

// done reports whether everything was read and nothing else.
func (d *entropyDecoder) done() bool { return !d.bad && d.state == stateLow && len(d.p) == 0 }
