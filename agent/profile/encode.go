package profile

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The payload of a block frame; all integers are varints, signed ones zigzag:
//
//	flags (1: samples), First, N, RealNS, MonoNS,
//	Missing, LostRecords, Records, AgentCPUNS, number of columns
//	per column: order (1 or 2; +4: with a bitmap of the slots that have a
//	  value), bitmap, then the first value and the differences of the first
//	  or second order, whichever is shorter
//	samples per slot, if flagged
//	number of pages; per page: key (8 bytes), number of entries, entries
//
// An entry stands for one slot in which the page was hit: the slots skipped
// since the last entry times 16, plus the count less one up to 14, or 15 with
// the count less 16 in a varint of its own. Hot pages are hit in nearly every
// slot a few times, so that most entries are one byte.
const (
	flagSamples = 1
	orderMask   = 3
	withBitmap  = 4
	maxNibble   = 15
)

// check refuses a block that a reader would refuse.
func (b *Block) check(columns int) error {
	switch {
	case b.N < 1 || b.N > maxSlots:
		return fmt.Errorf("%d slots", b.N)
	case b.First < 0 || b.First > maxSlot-maxSlots:
		return fmt.Errorf("first slot %d", b.First)
	case len(b.Columns) != columns:
		return fmt.Errorf("%d columns, the header has %d", len(b.Columns), columns)
	case len(b.Pages) > maxPages, len(b.Pages)*b.N > maxCells, columns*b.N > maxCells:
		return fmt.Errorf("%d slots of %d columns and %d pages", b.N, columns, len(b.Pages))
	case b.Samples != nil && len(b.Samples) != b.N:
		return fmt.Errorf("samples of %d slots, not %d", len(b.Samples), b.N)
	}
	for i, c := range b.Columns {
		if len(c) != b.N {
			return fmt.Errorf("column %d has %d slots, not %d", i, len(c), b.N)
		}
	}
	for i, p := range b.Pages {
		if len(p.Counts) != b.N {
			return fmt.Errorf("page %d has %d slots, not %d", i, len(p.Counts), b.N)
		}
	}
	return nil
}

// appendBlock appends the payload of a block that was checked.
func appendBlock(dst []byte, b *Block) []byte {
	flags := byte(0)
	if b.Samples != nil {
		flags |= flagSamples
	}
	dst = append(dst, flags)
	dst = binary.AppendVarint(dst, b.First)
	dst = binary.AppendUvarint(dst, uint64(b.N))
	for _, v := range []int64{b.RealNS, b.MonoNS, b.Missing, b.LostRecords, b.Records, b.AgentCPUNS} {
		dst = binary.AppendVarint(dst, v)
	}
	dst = binary.AppendUvarint(dst, uint64(len(b.Columns)))
	for _, c := range b.Columns {
		dst = appendColumn(dst, c)
	}
	for _, s := range b.Samples {
		dst = binary.AppendUvarint(dst, uint64(s))
	}
	dst = binary.AppendUvarint(dst, uint64(len(b.Pages)))
	for _, p := range b.Pages {
		dst = appendPage(dst, p)
	}
	return dst
}

// appendColumn appends one column in the order that takes fewer bytes: rates
// that drift are shorter in the second, noisy ones in the first.
func appendColumn(dst []byte, values []int64) []byte {
	var d differ
	first, second, missing := 0, 0, 0
	for _, v := range values {
		if v == NoValue {
			missing++
			continue
		}
		d1, d2 := d.next(v)
		first += varintLen(d1)
		second += varintLen(d2)
	}
	mode := byte(1)
	if second < first {
		mode = 2
	}
	if missing == 0 {
		return appendDifferences(append(dst, mode), values, mode)
	}
	dst = append(dst, mode|withBitmap)
	at := len(dst)
	dst = append(dst, make([]byte, (len(values)+7)/8)...)
	for i, v := range values {
		if v != NoValue {
			dst[at+i/8] |= 1 << (i % 8)
		}
	}
	return appendDifferences(dst, values, mode)
}

// appendDifferences appends the values that there are.
func appendDifferences(dst []byte, values []int64, order byte) []byte {
	var d differ
	for _, v := range values {
		if v == NoValue {
			continue
		}
		d1, d2 := d.next(v)
		if order == 2 {
			d1 = d2
		}
		dst = binary.AppendVarint(dst, d1)
	}
	return dst
}

// differ turns values into differences of the first and second order. All
// arithmetic wraps, so that every int64 comes back.
type differ struct {
	last, delta int64
	begun       bool
}

// next returns both differences of v, or v itself for the first one.
func (d *differ) next(v int64) (first, second int64) {
	if !d.begun {
		d.begun, d.last = true, v
		return v, v
	}
	first = v - d.last
	second = first - d.delta
	d.last, d.delta = v, first
	return first, second
}

// varintLen is the number of bytes of a zigzag varint.
func varintLen(v int64) int {
	return (bits.Len64(uint64(v<<1)^uint64(v>>63)|1) + 6) / 7
}

// appendPage appends the slots in which a page was hit.
func appendPage(dst []byte, p PageCount) []byte {
	entries := 0
	for _, c := range p.Counts {
		if c > 0 {
			entries++
		}
	}
	dst = binary.LittleEndian.AppendUint64(dst, p.Key)
	dst = binary.AppendUvarint(dst, uint64(entries))
	next := 0
	for i, c := range p.Counts {
		if c == 0 {
			continue
		}
		less := uint64(c) - 1
		dst = binary.AppendUvarint(dst, uint64(i-next)<<4|min(less, maxNibble))
		if less >= maxNibble {
			dst = binary.AppendUvarint(dst, less-maxNibble)
		}
		next = i + 1
	}
	return dst
}
