package profile

import (
	"encoding/binary"
	"math"
)

// rarePageDivisor sets the smallest share of a block's samples for which a page is stored: 1/256. Hits of other
// pages count among the rest. This saves a third of the size of pages on the synthetic node. A lossless profile
// stores all pages.
const rarePageDivisor = 256

// keptPages returns the pages of a block that are stored: all if lossless, else those with at least 1/256 of
// its samples.
func (e *encoder) keptPages(b *Block) []PageCount {
	if e.options.Lossless || b.Samples == nil {
		return b.Pages
	}
	total := sum(b.Samples)
	e.pages = e.pages[:0]
	for _, p := range b.Pages {
		if sum(p.Counts)*rarePageDivisor >= total {
			e.pages = append(e.pages, p)
		}
	}
	return e.pages
}

// appendPage appends the head of a page to dst and its counts to the body. For each slot with hits the body has
// the number of slots skipped and the hits beyond the first, mostly in one byte.
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

// readCounts decodes the counts of a page that appendPage wrote into counts, which must be 0 before: it sets only those
// with hits. It returns false if they contradict the head.
func (d *decoder) readCounts(counts []uint16, head pageHead) bool {
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

// sum returns the sum of the values.
func sum[T uint16 | uint32](values []T) uint64 {
	n := uint64(0)
	for _, v := range values {
		n += uint64(v)
	}
	return n
}
