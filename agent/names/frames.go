package names

import (
	"encoding/binary"
	"sort"
	"strings"

	"jobgait/agent/profile"
)

// plt answers the places in the linker's tables of jumps.
func (q *query) plt() {
	for _, s := range q.file.sections {
		if s.kind != kindCode || !strings.HasPrefix(s.title, ".plt") || s.addr > 1<<63 || s.size > 1<<40 {
			continue
		}
		for i := range q.places {
			if p := &q.places[i]; p.source == "" && p.from < s.addr+s.size && p.from+profile.PlaceBytes > s.addr {
				p.start, p.end, p.source = s.addr, s.addr+s.size, PLT
			}
		}
	}
}

// frameTable is the sorted table of .eh_frame_hdr: the starts of all functions that
// an exception may pass, which are all that a compiler made. See the Linux Standard
// Base, 10.6.2.
type frameTable struct {
	q    *query
	at   segment
	rows int
}

// framed finds the bounds of places without a symbol: from the start before the
// place to the next.
func (q *query) framed() {
	t := frameTable{q: q, at: q.file.frames}
	var h [12]byte
	// Version 1; the number of rows in 4 bytes; rows of two numbers of 4 bytes,
	// relative to the table: what every linker writes.
	if t.at.size < 12 || t.at.addr > 1<<63 || !readAt(q.file.r, h[:], t.at.off) || h[0] != 1 || h[2] != 3 || h[3] != 0x3b {
		return
	}
	t.rows = int(min(uint64(binary.LittleEndian.Uint32(h[8:])), (t.at.size-12)/8))
	for i := range q.places {
		p := &q.places[i]
		if p.source != "" {
			continue
		}
		mid := p.from + profile.PlaceBytes/2
		k := sort.Search(t.rows, func(k int) bool { return t.start(k) > mid })
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
	if !t.q.step() || !readAt(t.q.file.r, b[:], t.at.off+12+8*uint64(k)) {
		return 1 << 63
	}
	return t.at.addr + uint64(int64(int32(binary.LittleEndian.Uint32(b[:]))))
}

// end is where the function before row k ends: the next start, or that of the
// segment.
func (t frameTable) end(k int, mid uint64) uint64 {
	end := uint64(0)
	for _, l := range t.q.file.loads {
		if mid-l.addr < l.size {
			end = l.addr + l.size
		}
	}
	if k < t.rows {
		end = min(end, t.start(k))
	}
	return end
}
