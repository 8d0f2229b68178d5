package stack

import (
	"cmp"
	"slices"

	"jobgait/agent/names"
)

// frameIndex finds the entries of .eh_frame of a file that has no sorted table of them, .eh_frame_hdr. The linker makes
// that table for all files but statically linked programs. The index reads the whole section once, at its first use.
type frameIndex struct {
	built bool
	rows  []frameRow // in ascending order of begin
}

// frameRow is the address of a function and that of its frame description entry.
type frameRow struct{ begin, entry uint64 }

// Limits of an index. A static program with the C++ library has 8,000 entries in .3 MB.
const (
	maxFrameSection  = 16 << 20
	maxFrameRows     = 1 << 18
	maxCommonEntries = 4096
)

// entryAt returns the address of the entry of the function that begins last at or before an address. The function may
// end before the address.
func (x *frameIndex) entryAt(f *names.ELFFile, addr uint64) (entry uint64, ok bool) {
	if !x.built {
		x.built = true
		x.rows = readFrameRows(f)
	}
	i, found := slices.BinarySearchFunc(x.rows, addr, func(r frameRow, a uint64) int { return cmp.Compare(r.begin, a) })
	if !found {
		i--
	}
	if i < 0 {
		return 0, false
	}
	return x.rows[i].entry, true
}

// readFrameRows reads the section .eh_frame of a file without a sorted table and returns a row for each frame
// description entry, in ascending order. It stops at the first unit whose length is zero or invalid, and at a limit.
func readFrameRows(f *names.ELFFile) (rows []frameRow) {
	addr, size := f.UnindexedFrameSection()
	if size == 0 || size > maxFrameSection {
		return nil
	}
	section := make([]byte, size)
	if !f.ReadAddress(section, addr) {
		return nil
	}
	common := map[uint64]byte{} // encoding of pointers, by the address of the common information entry
	for at := uint64(0); at+8 <= size && len(rows) < maxFrameRows; {
		in := byteReader{b: section[at:]}
		length, id := in.fixed(4), at+4
		if length < 4 || length > maxEntry || length > size-id {
			break
		}
		if back := in.fixed(4); back != 0 && back <= id {
			pointers, known := common[id-back]
			if !known {
				pointers = omittedPointer
			}
			if !known && len(common) < maxCommonEntries {
				e, err := readCommon(f, addr+id-back)
				if pointers = e.pointers; err != nil {
					pointers = omittedPointer
				}
				common[id-back] = pointers
			}
			if begin := pointer(&in, pointers, addr+id+4); pointers != omittedPointer && !in.bad {
				rows = append(rows, frameRow{begin, addr + at})
			}
		}
		at = id + length
	}
	slices.SortStableFunc(rows, func(a, b frameRow) int { return cmp.Compare(a.begin, b.begin) })
	return rows
}
