package profile

import (
	"encoding/binary"
	"math"
)

// rarePage is the share of a block's samples below which a page is not kept,
// as a divisor: its hits are counted among the others then. With it pages of
// the synthetic node take a third less. A lossless profile keeps all.
const rarePage = 256

// keptPages are the pages that go into the file.
func (e *encoder) keptPages(b *Block) []PageCount {
	if e.options.Lossless || b.Samples == nil {
		return b.Pages
	}
	total := sum(b.Samples)
	e.pages = e.pages[:0]
	for _, p := range b.Pages {
		if sum(p.Counts)*rarePage >= total {
			e.pages = append(e.pages, p)
		}
	}
	return e.pages
}

// appendPage appends the head of a page to dst and the slots in which it was hit
// to the body: how many were skipped and the hits beyond the first, in a byte
// mostly.
func (e *encoder) appendPage(dst []byte, p PageCount) []byte {
	entries, next := 0, 0
	for i, c := range p.Counts {
		if c == 0 {
			continue
		}
		more := uint64(c) - 1
		e.body = binary.AppendUvarint(e.body, uint64(i-next)<<4|min(more, maxNibble))
		if more >= maxNibble {
			e.body = binary.AppendUvarint(e.body, more-maxNibble)
		}
		entries++
		next = i + 1
	}
	dst = binary.LittleEndian.AppendUint64(dst, p.Key)
	dst = binary.AppendUvarint(dst, sum(p.Counts))
	return binary.AppendUvarint(dst, uint64(entries))
}

// page reads the counts of a page that appendPage wrote; false if they are not
// what its head says.
func (d *decoder) page(counts []uint16, head pageHead) bool {
	at, hits := uint64(0), uint64(0)
	for range head.entries {
		v := d.uvarint()
		more := v & maxNibble
		if more == maxNibble {
			more += d.uvarint()
		}
		if at += v >> 4; v>>4 >= uint64(len(counts)) || at >= uint64(len(counts)) || more >= math.MaxUint16 {
			return false
		}
		counts[at] = uint16(more + 1)
		hits += more + 1
		at++
	}
	return !d.bad && hits == head.hits
}

func sum[T uint16 | uint32](values []T) uint64 {
	n := uint64(0)
	for _, v := range values {
		n += uint64(v)
	}
	return n
}
