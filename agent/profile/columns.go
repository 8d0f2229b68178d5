package profile

import (
	"encoding/binary"
	"math/bits"
)

// appendColumn appends the head of a column to dst and its steps to the body.
func (e *encoder) appendColumn(dst []byte, values []int64) []byte {
	e.present = e.present[:0]
	for _, v := range values {
		if v != NoValue {
			e.present = append(e.present, v)
		}
	}
	here := e.present
	if len(here) == 0 {
		return append(dst, 0)
	}
	at := len(dst)
	dst = append(dst, hasValues)
	if len(here) < len(values) {
		dst[at] |= withBitmap
		dst = appendBitmap(dst, values)
	}
	dst = binary.AppendVarint(dst, here[0])
	if same(here) {
		dst[at] |= allEqual
		return dst
	}
	quantum := int64(1)
	if !e.options.Lossless && rising(here) {
		e.scratch = resize(e.scratch, len(here))
		quantum = quantumOf(here, e.scratch, e.perQuantum)
	}
	e.quanta = quantise(e.quanta[:0], here, quantum)
	way, mean := e.appendSteps(differences(e.quanta[:len(here)-1]))
	dst[at] |= byte(way)
	dst = binary.AppendUvarint(dst, uint64(quantum))
	dst = binary.AppendVarint(dst, here[len(here)-1]-here[0])
	return append(dst, mean.coarse())
}

// appendSteps puts steps into the body.
func (e *encoder) appendSteps(steps []int64) (way int, mean tracker) {
	if e.options.Packing == Packed {
		way, mean = chooseWay(e.tables, steps, rare)
		putSteps(e.stream(), steps, way, mean)
		return way, mean
	}
	first, second, last := 0, 0, int64(0)
	for _, s := range steps {
		first += varintLen(s)
		second += varintLen(s - last)
		last = s
	}
	if second < first {
		way = repeated
	}
	last = 0
	for _, s := range steps {
		if way == repeated {
			s, last = s-last, s
		}
		e.body = binary.AppendVarint(e.body, s)
	}
	return way, 0
}

// differences replaces values by how much each is above the one before, and
// leaves the first out.
func differences(values []int64) []int64 {
	for i := len(values) - 1; i > 0; i-- {
		values[i] -= values[i-1]
	}
	return values[1:]
}

func same(values []int64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// appendBitmap appends which values there are.
func appendBitmap(dst []byte, values []int64) []byte {
	at := len(dst)
	dst = append(dst, make([]byte, (len(values)+7)/8)...)
	for i, v := range values {
		if v != NoValue {
			dst[at+i/8] |= 1 << (i % 8)
		}
	}
	return dst
}

// varintLen is the number of bytes of a zigzag varint.
func varintLen(v int64) int { return (bits.Len64(zigzag(v)|1) + 6) / 7 }
