package profile

import "encoding/binary"

// appendColumn appends the head of a column to dst, and the steps between its quantised values to the body, which has
// none if all values are equal. A column without a value is one byte. The quantum is 1, which is exact, if the profile
// is lossless or the values ever fall.
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
	if areEqual(here) {
		dst[at] |= allEqual
		return dst
	}
	quantum := int64(1)
	if !e.options.Lossless && neverFalls(here) {
		e.scratch = resize(e.scratch, len(here))
		quantum = quantumOf(here, e.scratch, e.perQuantum)
	}
	e.quanta = quantise(e.quanta[:0], here, quantum)
	levelled := false
	if e.body, levelled = appendSteps(e.body, differences(e.quanta[:len(here)-1])); levelled {
		dst[at] |= byLevel
	}
	dst = binary.AppendUvarint(dst, uint64(quantum))
	return binary.AppendVarint(dst, here[len(here)-1]-here[0])
}

// differences replaces each value by its difference from the previous one, in place, and returns all but the
// first.
func differences(values []int64) []int64 {
	for i := len(values) - 1; i > 0; i-- {
		values[i] -= values[i-1]
	}
	return values[1:]
}

// areEqual reports whether all values are equal.
func areEqual(values []int64) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// appendBitmap appends a bit for each slot: 1 where the column has a value, 0 for NoValue.
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
