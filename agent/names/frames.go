package names

import (
	"encoding/binary"
	"sort"
	"strings"
)

// plt answers the places in the linker's tables of jumps.
func (q *query) plt() {
	for _, s := range q.file.sections {
		if s.kind != kindCode || !strings.HasPrefix(s.title, ".plt") || s.addr > 1<<63 || s.size > 1<<40 {
			continue
		}
		for i := range q.places {
			if p := &q.places[i]; p.source == "" && p.from < s.addr+s.size && p.from+q.width > s.addr {
				p.start, p.end, p.source = s.addr, s.addr+s.size, PLT
			}
		}
	}
}

// frameTable is the sorted table of .eh_frame_hdr: the starts of all functions that
// an exception may pass, which are all that a compiler made. See the Linux Standard
// Base, 10.6.2.
type frameTable struct {
	file *ELFFile
	step func() bool // takes a step, and is false if none is left
	at   segment
	rows int
}

// frameTable returns the table of the file, without rows if the file has no table: version 1; the number of
// rows in 4 bytes; rows of two numbers of 4 bytes, relative to the table: what every linker writes.
func (f *ELFFile) frameTable(step func() bool) frameTable {
	t := frameTable{file: f, step: step, at: f.frames}
	var h [12]byte
	if t.at.size < 12 || t.at.addr > 1<<60 || !readAt(f.r, h[:], t.at.off) || h[0] != 1 || h[2] != 3 || h[3] != 0x3b {
		return t
	}
	t.rows = int(min(uint64(binary.LittleEndian.Uint32(h[8:])), (t.at.size-12)/8))
	return t
}

// before returns the number of rows that begin at or before an address.
func (t frameTable) before(addr uint64) int {
	return sort.Search(t.rows, func(k int) bool { return t.start(k) > addr })
}

// FrameEntry returns the address of the frame description entry of .eh_frame of the function that begins last
// before an address. The entry says whether the function reaches as far.
func (f *ELFFile) FrameEntry(addr uint64) (entry uint64, ok bool) {
	t := f.frameTable(func() bool { return true }) // a search takes 32 steps at most
	k := t.before(addr)
	var b [4]byte
	if k == 0 || !readAt(f.r, b[:], t.at.off+12+8*uint64(k-1)+4) {
		return 0, false
	}
	return t.at.addr + uint64(int64(int32(binary.LittleEndian.Uint32(b[:])))), true
}

// framed finds the bounds of places without a symbol: from the start before the
// place to the next.
func (q *query) framed() {
	t := q.file.frameTable(q.step)
	for i := range q.places {
		p := &q.places[i]
		if p.source != "" {
			continue
		}
		mid := p.from + q.width/2
		k := t.before(mid)
		if q.steps <= 0 {
			return
		}
		if k > 0 {
			p.start, p.end, p.source = t.start(k-1), t.end(k, mid), Frames
		}
	}
}

// start is the address that row k begins at. Searching 16,000 places in a table of
// a million rows takes 20 steps each.
func (t frameTable) start(k int) uint64 {
	var b [4]byte
	if !t.step() || !readAt(t.file.r, b[:], t.at.off+12+8*uint64(k)) {
		return 1 << 63
	}
	return t.at.addr + uint64(int64(int32(binary.LittleEndian.Uint32(b[:]))))
}

// end is where the function before row k ends: the next start, or that of the
// segment.
func (t frameTable) end(k int, mid uint64) uint64 {
	end := uint64(0)
	for _, l := range t.file.loads {
		if mid-l.addr < l.size {
			end = l.addr + l.size
		}
	}
	if k < t.rows {
		end = min(end, t.start(k))
	}
	return end
}
