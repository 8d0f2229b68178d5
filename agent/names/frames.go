package names

import (
	"encoding/binary"
	"sort"
	"strings"
)

// coverPLT sets the bounds of each place that has no symbol and overlaps one of the linker's jump tables (sections
// .plt*) to those of the table, and its source to PLT.
func (q *query) coverPLT() {
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

// frameTable is the sorted table of .eh_frame_hdr: the starts of all functions that an exception may pass,
// which are all compiled functions. See the Linux Standard Base, 10.6.2.
type frameTable struct {
	file *ELFFile
	step func() bool // counts a step; false if no step is left
	at   segment
	rows int
}

// frameTable returns the frame table of the file, without rows if the file has none in the usual form: version
// 1, the number of rows in 4 bytes, rows of two 4-byte numbers relative to the table.
func (f *ELFFile) frameTable(step func() bool) frameTable {
	t := frameTable{file: f, step: step, at: f.frames}
	var h [12]byte
	if t.at.size < 12 || t.at.addr > 1<<60 || !readAt(f.r, h[:], t.at.off) || h[0] != 1 || h[2] != 3 || h[3] != 0x3b {
		return t
	}
	t.rows = int(min(uint64(binary.LittleEndian.Uint32(h[8:])), (t.at.size-12)/8))
	return t
}

// rowsUpTo returns the number of rows that begin at or before an address.
func (t frameTable) rowsUpTo(addr uint64) int {
	return sort.Search(t.rows, func(k int) bool { return t.rowStart(k) > addr })
}

// FrameEntry returns the address of the frame description entry of .eh_frame of the function that begins last at or
// before an address; false without such a function or without a frame table. The function may end before the address;
// the entry has its length.
func (f *ELFFile) FrameEntry(addr uint64) (entry uint64, ok bool) {
	t := f.frameTable(func() bool { return true }) // a search takes 32 steps at most
	k := t.rowsUpTo(addr)
	var b [4]byte
	if k == 0 || !readAt(f.r, b[:], t.at.off+12+8*uint64(k-1)+4) {
		return 0, false
	}
	return t.at.addr + uint64(int64(int32(binary.LittleEndian.Uint32(b[:])))), true
}

// UnindexedFrameSection returns the section .eh_frame of a file without a frame table in the usual form, as that of a
// statically linked program; size is 0 if the file has such a table or no section of that name.
func (f *ELFFile) UnindexedFrameSection() (addr, size uint64) {
	if f.frameTable(func() bool { return true }).rows > 0 {
		return 0, 0
	}
	for _, s := range f.sections {
		if s.title == ".eh_frame" && s.addr < 1<<60 && s.size < 1<<60 {
			return s.addr, s.size
		}
	}
	return 0, 0
}

// coverFrames sets the bounds of places without a symbol: from the last start in the frame table before the
// place to the next one. It stops when no step is left.
func (q *query) coverFrames() {
	t := q.file.frameTable(q.step)
	for i := range q.places {
		p := &q.places[i]
		if p.source != "" {
			continue
		}
		mid := p.from + q.width/2
		k := t.rowsUpTo(mid)
		if q.steps <= 0 {
			return
		}
		if k > 0 {
			p.start, p.end, p.source = t.rowStart(k-1), t.functionEnd(k, mid), Frames
		}
	}
}

// rowStart returns the address that row k begins at, 1<<63 if it cannot be read. A search in a table of a
// million rows takes 20 steps.
func (t frameTable) rowStart(k int) uint64 {
	var b [4]byte
	if !t.step() || !readAt(t.file.r, b[:], t.at.off+12+8*uint64(k)) {
		return 1 << 63
	}
	return t.at.addr + uint64(int64(int32(binary.LittleEndian.Uint32(b[:]))))
}

// functionEnd returns where the function before row k ends: at the next start, or at the end of the segment
// that contains mid.
func (t frameTable) functionEnd(k int, mid uint64) uint64 {
	end := uint64(0)
	for _, l := range t.file.loads {
		if mid-l.addr < l.size {
			end = l.addr + l.size
		}
	}
	if k < t.rows {
		end = min(end, t.rowStart(k))
	}
	return end
}
