package stack

import (
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// Limits of reading debug information. LAMMPS built with -g has 40 MB of it, in 800 units.
const (
	maxDebugBytes = 512 << 20 // mapped, not read
	maxUnpacked   = 64 << 20  // of one compressed section
	maxUnits      = 200_000
	maxLineTable  = 16 << 20 // of one unit
	maxLineSteps  = 8 << 20  // rows that one unwinder reads
)

var errLines = errors.New("the program's debug information is too large or of an unsupported version: no line numbers")

// lineTables finds the source lines of one file.
type lineTables struct {
	data  *dwarf.Data
	lines []byte // .debug_line
	units []unitRange
	steps *int // rows left
}

// unitRange is a range of addresses of one compilation unit.
type unitRange struct {
	low, high uint64
	unit      *dwarf.Entry
}

// openLines opens a file's line tables and reads the address ranges of its units. The file stays mapped until
// the unwinder ends. steps is the number of table rows that may still be read, shared by all files.
func openLines(f *os.File, steps *int) (t *lineTables, err error) {
	defer func() {
		if recover() != nil { // the reader was not made for hostile files
			t, err = nil, errLines
		}
	}()
	sections, err := debugSections(f)
	if err != nil {
		return nil, err
	}
	if countUnits(sections["info"]) > maxUnits {
		return nil, errLines
	}
	d, err := dwarf.New(sections["abbrev"], nil, nil, sections["info"], sections["line"], nil, sections["ranges"],
		sections["str"])
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if err := d.AddSection(".debug_"+name, sections[name]); err != nil {
			return nil, err
		}
	}
	t = &lineTables{data: d, lines: sections["line"], steps: steps}
	return t, t.index()
}

// debugSections maps the file, which stays mapped, and returns the sections with debug information by their
// names without ".debug_", unpacked if they are compressed. It returns an error for a file without units or
// line tables, or above the limits.
func debugSections(f *os.File) (map[string][]byte, error) {
	st, err := f.Stat()
	if err != nil || st.Size() > maxDebugBytes || st.Size() < 64 {
		return nil, errors.Join(errLines, err)
	}
	whole, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, err
	}
	e, err := elf.NewFile(io.NewSectionReader(f, 0, st.Size()))
	if err != nil {
		return nil, err
	}
	sections := map[string][]byte{}
	all := []string{"abbrev", "info", "line", "ranges", "str", "addr", "line_str", "str_offsets", "rnglists"}
	for _, name := range all {
		s := e.Section(".debug_" + name)
		switch {
		case s == nil || s.Type == elf.SHT_NOBITS:
		case s.Flags&elf.SHF_COMPRESSED != 0:
			if s.Size > maxUnpacked {
				return nil, errLines
			}
			b, err := s.Data()
			if err != nil {
				return nil, err
			}
			sections[name] = b
		case s.Offset > uint64(len(whole)) || s.FileSize > uint64(len(whole))-s.Offset:
			return nil, errLines
		default:
			sections[name] = whole[s.Offset : s.Offset+s.FileSize]
		}
	}
	if len(sections["info"]) == 0 || len(sections["line"]) == 0 || len(sections["abbrev"]) > maxUnpacked {
		return nil, errLines
	}
	return sections, nil
}

// countUnits counts the units of .debug_info by their lengths, up to maxUnits + 1.
func countUnits(info []byte) (n int) {
	for len(info) >= 12 && n <= maxUnits {
		size, head := uint64(binary.LittleEndian.Uint32(info)), uint64(4)
		if size == math.MaxUint32 {
			size, head = binary.LittleEndian.Uint64(info[4:]), 12
		}
		n++
		if size > uint64(len(info))-head {
			break
		}
		info = info[head+size:]
	}
	return n
}

// index lists the address ranges of all compilation units in ascending order. It returns errLines without ranges.
func (t *lineTables) index() error {
	r := t.data.Reader()
	for {
		u, err := r.Next()
		if u == nil || err != nil {
			break
		}
		r.SkipChildren()
		if u.Tag != dwarf.TagCompileUnit {
			continue
		}
		ranges, err := t.data.Ranges(u)
		if err != nil {
			continue
		}
		for _, x := range ranges {
			t.units = append(t.units, unitRange{x[0], x[1], u})
		}
	}
	slices.SortFunc(t.units, func(a, b unitRange) int { return cmp.Compare(a.low, b.low) })
	if len(t.units) == 0 {
		return errLines
	}
	return nil
}

// at returns the source file and line of an address, "" and 0 if unknown.
func (t *lineTables) at(addr uint64) (file string, line int) {
	defer func() {
		if recover() != nil {
			file, line = "", 0
		}
	}()
	i, found := slices.BinarySearchFunc(t.units, addr, func(u unitRange, a uint64) int { return cmp.Compare(u.low, a) })
	if !found {
		i--
	}
	if i < 0 || addr >= t.units[i].high {
		return "", 0
	}
	u := t.units[i].unit
	start, ok := u.Val(dwarf.AttrStmtList).(int64)
	if !ok || start < 0 || start+4 > int64(len(t.lines)) || binary.LittleEndian.Uint32(t.lines[start:]) > maxLineTable {
		return "", 0
	}
	r, err := t.data.LineReader(u)
	if err != nil || r == nil {
		return "", 0
	}
	var before, next dwarf.LineEntry
	for *t.steps > 0 && r.Next(&next) == nil {
		*t.steps--
		if before.File != nil && !before.EndSequence && before.Address <= addr && addr < next.Address {
			return before.File.Name, before.Line
		}
		before = next
	}
	return "", 0
}
