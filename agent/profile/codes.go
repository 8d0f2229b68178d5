package profile

import (
	"encoding/binary"
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

// appendSamples appends the head of the samples and finds how they are coded.
// (What is in no page would take 2 % less of the file, but then a reader that
// wants a few pages would have to read all.)
func (e *encoder) appendSamples(dst []byte, samples []uint32) []byte {
	dst = binary.AppendUvarint(dst, sum(samples))
	if e.options.Packing != Packed {
		return append(dst, 0, 0)
	}
	e.scratch = e.scratch[:0]
	for _, n := range samples {
		e.scratch = append(e.scratch, int64(n))
	}
	way, mean := chooseWay(e.tables, e.scratch, counted)
	putSteps(e.stream(), e.scratch, way, mean)
	return append(dst, byte(way), mean.coarse())
}

// appendPage appends the head of a page to dst and its slots to the body.
func (e *encoder) appendPage(dst []byte, p PageCount) []byte {
	f := formOf(p.Counts)
	dst = binary.LittleEndian.AppendUint64(dst, p.Key)
	dst = binary.AppendUvarint(dst, f.hits)
	dst = binary.AppendUvarint(dst, uint64(f.entries))
	switch {
	case e.options.Packing != Packed:
		e.body = appendEntries(e.body, p.Counts)
	case f.dense():
		e.scratch = e.scratch[:0]
		for _, c := range p.Counts {
			e.scratch = append(e.scratch, int64(c))
		}
		way, mean := f.way()
		putSteps(e.stream(), e.scratch, way, mean)
	}
	return dst
}

// appendSparse completes the streams with the pages that are not dense.
func (e *encoder) appendSparse(pages []PageCount) {
	for _, p := range pages {
		if f := formOf(p.Counts); !f.dense() {
			putEntries(&e.streams[0], &e.streams[1], p.Counts, f)
		}
	}
}

// pageForm is what the head says of a page, and how the body has it therefore.
type pageForm struct {
	hits    uint64
	entries int
	slots   int
}

func formOf(counts []uint16) pageForm {
	f := pageForm{hits: sum(counts), slots: len(counts)}
	for _, c := range counts {
		if c > 0 {
			f.entries++
		}
	}
	return f
}

// dense is whether the body has a number for every slot, and not only for those
// in which the page was hit.
func (f pageForm) dense() bool { return 3*f.entries >= f.slots }

// way is that of counts which are dense, and the mean to begin with: single
// events, and where there are more than four in a slot a level with noise.
func (f pageForm) way() (int, tracker) {
	if f.hits > 4*uint64(f.slots) {
		return levelled, 4 * meanOne
	}
	return counted, trackerOf(f.hits, uint64(f.slots))
}

// gap is the mean of the slots between hits to begin with, more that of the
// hits of a slot beyond the first.
func (f pageForm) gap() tracker {
	return trackerOf(uint64(f.slots-f.entries), uint64(f.entries))
}
func (f pageForm) more() tracker {
	return trackerOf(f.hits-uint64(f.entries), uint64(f.entries))
}

// putEntries codes the slots in which a page was hit: how many were skipped,
// and the hits beyond the first.
func putEntries(gaps, mores *entropyEncoder, counts []uint16, f pageForm) {
	gap, more := f.gap(), f.more()
	next := 0
	for i, c := range counts {
		if c == 0 {
			continue
		}
		gaps.number(geometric, gap, uint64(i-next))
		gap.add(uint64(i - next))
		mores.number(poisson, more, uint64(c-1))
		more.add(uint64(c - 1))
		next = i + 1
	}
}

// appendEntries is the plain form of that.
func appendEntries(dst []byte, counts []uint16) []byte {
	next := 0
	for i, c := range counts {
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

func sum[T uint16 | uint32](values []T) uint64 {
	n := uint64(0)
	for _, v := range values {
		n += uint64(v)
	}
	return n
}
