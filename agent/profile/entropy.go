package profile

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// The coder is rANS (Duda, "Asymmetric numeral systems", 2013) with a state of
// 64 bits and words of 32. It takes what Huffman's code, which zstd uses for
// literals, rounds up to whole bits, and the decoder does without a division.
// Large numbers have their low bits written as they are, in the same step. A
// body has two such streams, so that a reader can decode two sequences of
// numbers at once: each waits for its own last number only (pair.go).
const (
	stateLow = 1 << 31
	wordBits = 32
	// mostLow is how many low bits a step takes.
	mostLow = 16
)

// entropyEncoder collects choices and codes them backwards, so that they are
// decoded forwards.
type entropyEncoder struct {
	tables  *tableSet
	choices []choice
	words   []uint32
}

// choice is one of freq states of 4096 from start on, and so many low bits; or
// with freq 0 plain bits.
type choice struct {
	start, freq uint16
	bits        uint16
	low         uint8
}

// plain writes the n low bits of v.
func (e *entropyEncoder) plain(v uint64, n uint) {
	for ; n > 0; n -= min(n, mostLow) {
		k := min(n, mostLow)
		e.choices = append(e.choices, choice{bits: uint16(v & (1<<k - 1)), low: uint8(k)})
		v >>= k
	}
}

// number writes v as one of a family with the mean m: a symbol with its low bits,
// those that are too many, and behind an escape the length and the bits of what
// is above the low ones.
func (e *entropyEncoder) number(family int, m tracker, v uint64) {
	i, low := m.place()
	t := &e.tables[family*perFamily+i]
	top, k := v>>low, min(low, mostLow)
	n := t.escape
	if top < uint64(n) {
		n = uint8(top)
	}
	e.choices = append(e.choices, choice{t.start[n], t.freq[n], uint16(v & (1<<k - 1)), uint8(k)})
	e.plain(v&(1<<low-1)>>k, low-k)
	if n == t.escape {
		length := uint(bits.Len64(top))
		e.plain(uint64(length), 7)
		e.plain(top, max(length, 1)-1)
	}
}

// appendTo codes the choices and forgets them. Of none it makes nothing.
func (e *entropyEncoder) appendTo(dst []byte) []byte {
	if len(e.choices) == 0 {
		return dst
	}
	state := uint64(stateLow)
	e.words = e.words[:0]
	for _, c := range slices.Backward(e.choices) {
		f, total := uint64(c.freq), uint(probBits)
		if f == 0 {
			f, total = 1, 0
		}
		if state >= f<<(63-total-uint(c.low)) {
			e.words = append(e.words, uint32(state))
			state >>= wordBits
		}
		state = (state/f<<total+state%f+uint64(c.start))<<c.low | uint64(c.bits)
	}
	e.choices = e.choices[:0]
	dst = binary.LittleEndian.AppendUint64(dst, state)
	for _, w := range slices.Backward(e.words) {
		dst = binary.LittleEndian.AppendUint32(dst, w)
	}
	return dst
}

// entropyDecoder takes numbers out again. A word of zeros follows the stream, so
// that the next one can be looked at before it is known whether it is needed.
type entropyDecoder struct {
	state uint64
	p     []byte
	bad   bool
}

// newEntropyDecoder reads a stream and the word behind it.
func newEntropyDecoder(p []byte) entropyDecoder {
	switch {
	case len(p) == 4:
		return entropyDecoder{state: stateLow, p: p}
	case len(p) < 12:
		return entropyDecoder{state: stateLow, p: p, bad: true}
	}
	return entropyDecoder{state: binary.LittleEndian.Uint64(p) & (1<<63 - 1), p: p[8:]}
}

func (d *entropyDecoder) refill() {
	switch {
	case d.state >= stateLow:
	case len(d.p) < 8:
		d.bad, d.state = true, stateLow
	default:
		d.state = d.state<<wordBits | uint64(binary.LittleEndian.Uint32(d.p))
		d.p = d.p[4:]
	}
}

func (d *entropyDecoder) plain(n uint) uint64 {
	v := uint64(0)
	for at := uint(0); at < n; at += mostLow {
		k := min(n-at, mostLow)
		v |= d.state & (1<<k - 1) << at
		d.state >>= k
		d.refill()
	}
	return v
}

// numbers reads a sequence, or what pair left of it.
func (d *entropyDecoder) numbers(t *tableSet, s sequence) {
	m := s.mean
	for i := range s.numbers {
		index, low := m.place()
		u := d.number(&t[s.family*perFamily+index], low)
		s.jumps[i] = m.jumped(u)
		s.numbers[i] = int64(u)
		m.add(u)
	}
}

// number is the inverse of the encoder's.
func (d *entropyDecoder) number(t *table, low uint) uint64 {
	k := min(low, mostLow)
	slot, v := d.state>>k&(probTotal-1), d.state&(1<<k-1)
	n := t.symbol[slot]
	d.state = uint64(t.freq[n&(maxSymbols-1)])*(d.state>>(probBits+k)) + slot - uint64(t.start[n&(maxSymbols-1)])
	d.refill()
	return d.rest(n, t.escape, low, v)
}

// rest completes a number of which the symbol and the first low bits were read.
func (d *entropyDecoder) rest(n, escape uint8, low uint, v uint64) uint64 {
	k := min(low, mostLow)
	v |= d.plain(low-k) << k
	if n != escape {
		return v | uint64(n)<<low
	}
	length := uint(d.plain(7))
	if length+low > 64 {
		d.bad = true
		return 0
	}
	if length < 2 {
		return v | uint64(length)<<low
	}
	return v | (1<<(length-1)|d.plain(length-1))<<low
}

// done reports whether everything was read and nothing else.
func (d *entropyDecoder) done() bool { return !d.bad && d.state == stateLow && len(d.p) == 4 }
