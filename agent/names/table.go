package names

import (
	"encoding/binary"
	"io"
	"math"
	"sort"
)

// maxAliases is how many symbols of one function are compared for the best name.
const maxAliases = 4

// coverTables reads all symbol tables of a kind in f and assigns their functions to the places.
func (q *query) coverTables(f *ELFFile, kind uint32, source string) {
	for _, s := range f.sections {
		if s.kind == kind && s.entry == symbolBytes && int(s.link) < len(f.sections) && s.off <= math.MaxInt64 &&
			len(q.places) > 0 {
			q.readTable(f.r, s, f.sections[s.link].off, source)
		}
	}
}

// symbolBytes is the size of an Elf64_Sym.
const symbolBytes = 24

// symbol is a function in a symbol table, with its addresses.
type symbol struct {
	name       uint64 // file offset of its name
	start, end uint64
	rank       int
}

// readTable reads the symbol table in section s and assigns its functions to the places, until no step is left.
// names is the file offset of its string table.
func (q *query) readTable(r io.ReaderAt, s section, names uint64, source string) {
	buf := make([]byte, symbolBytes*2048)
	in := io.NewSectionReader(r, int64(s.off), int64(min(s.size, math.MaxInt64)))
	for {
		n, err := io.ReadFull(in, buf)
		for b := buf[:n/symbolBytes*symbolBytes]; len(b) > 0; b = b[symbolBytes:] {
			if !q.step() {
				return
			}
			if x, ok := parseSymbol(b, names); ok && !q.assignSymbol(x, r, source) {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// parseSymbol parses an Elf64_Sym. It returns false for a symbol that is undefined, is not a function, has no
// size, or has an impossible address or size.
func parseSymbol(b []byte, names uint64) (symbol, bool) {
	const function, indirect = 2, 10
	le := binary.LittleEndian
	kind, at, size := b[4]&15, le.Uint64(b[8:]), le.Uint64(b[16:])
	if kind != function && kind != indirect || le.Uint16(b[6:]) == 0 || size == 0 || at > 1<<63 || size > 1<<40 {
		return symbol{}, false
	}
	// Global before weak before local: of aliases the one that is meant for others.
	rank := 0
	switch b[4] >> 4 {
	case 1:
		rank = 2
	case 2:
		rank = 1
	}
	return symbol{name: names + uint64(le.Uint32(b)), start: at, end: at + size, rank: rank}, true
}

// assignSymbol assigns a symbol to the places that it covers, if it is better than their present one: it covers
// more of the place, or as much and is shorter, or is an alias of higher rank. It adds the name of an alias of
// equal rank, up to maxAliases. It returns false if no step is left.
func (q *query) assignSymbol(x symbol, r io.ReaderAt, source string) bool {
	i := sort.Search(len(q.places), func(i int) bool { return q.places[i].from+q.width > x.start })
	for ; i < len(q.places) && q.places[i].from < x.end; i++ {
		if !q.step() {
			return false // tables of honest files do not overlap
		}
		p := &q.places[i]
		over := min(p.from+q.width, x.end) - max(p.from, x.start)
		same := p.source == source && p.start == x.start && p.end == x.end
		switch {
		case p.source == "" || over > p.overlap ||
			over == p.overlap && (x.end-x.start < p.end-p.start || same && x.rank > p.rank):
			*p = place{from: p.from, index: p.index, overlap: over, rank: x.rank, start: x.start, end: x.end, source: source,
				text:  r,
				names: append(p.names[:0], x.name)}
		case same && x.rank == p.rank && len(p.names) < maxAliases:
			p.names = append(p.names, x.name)
		}
	}
	return true
}
