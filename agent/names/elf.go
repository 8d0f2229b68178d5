package names

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

var errELF = errors.New("the program file is not a 64-bit little-endian ELF file: its functions have no names")

// Limits for hostile files. A normal file has about ten segments and thirty sections; only object files have
// thousands.
const (
	maxSegments = 64
	maxSections = 4096
)

// ELFFile is an ELF file in which addresses are looked up.
type ELFFile struct {
	r        io.ReaderAt
	sections []section
	loads    []segment
	frames   segment // PT_GNU_EH_FRAME, which stripping leaves
}

// section is a section of the ELF file.
type section struct {
	title           string
	kind, link      uint32
	addr, off, size uint64
	entry           uint64
}

// segment is a segment of the ELF file: its file offset, address and size in the file.
type segment struct{ off, addr, size uint64 }

// addressOf returns the address of a file offset; false if the offset is outside of the segment.
func (s segment) addressOf(off uint64) (addr uint64, ok bool) {
	return s.addr + (off - s.off), off >= s.off && off-s.off < s.size
}

// Kinds of sections and segments, elf(5).
const (
	kindCode    = 1 // SHT_PROGBITS
	kindSymbols = 2 // SHT_SYMTAB
	kindExports = 11
	segLoad     = 1
	segFrames   = 0x6474e550
)

// Open reads the headers of an ELF file. It accepts only 64-bit little-endian files. It returns an error if
// the program headers are unreadable, and leaves out unreadable section headers.
func Open(r io.ReaderAt) (*ELFFile, error) {
	var h [64]byte
	if _, err := r.ReadAt(h[:], 0); err != nil || !bytes.HasPrefix(h[:], []byte("\x7fELF\x02\x01")) {
		return nil, errELF
	}
	le := binary.LittleEndian
	f := &ELFFile{r: r}
	n := int(le.Uint16(h[56:]))
	if n > maxSegments || n > 0 && le.Uint16(h[54:]) != 56 {
		return nil, errELF
	}
	if err := f.readSegments(le.Uint64(h[32:]), n); err != nil {
		return nil, err
	}
	n = int(le.Uint16(h[60:]))
	if n > 0 && n <= maxSections && le.Uint16(h[58:]) == 64 {
		f.readSections(le.Uint64(h[40:]), n, int(le.Uint16(h[62:])))
	}
	return f, nil
}

// readSegments reads n program headers at file offset at. It adds the segments that are loaded into memory
// (PT_LOAD) to f.loads, and sets f.frames to the segment of the table for stack unwinding (PT_GNU_EH_FRAME). It
// returns an error if the headers cannot be read.
func (f *ELFFile) readSegments(at uint64, n int) error {
	b := make([]byte, 56*n)
	if !readAt(f.r, b, at) {
		return errELF
	}
	le := binary.LittleEndian
	for ; len(b) > 0; b = b[56:] {
		s := segment{off: le.Uint64(b[8:]), addr: le.Uint64(b[16:]), size: le.Uint64(b[32:])}
		if max(s.off, s.addr, s.size) > 1<<60 {
			continue // sums of these never run over
		}
		switch le.Uint32(b) {
		case segLoad:
			f.loads = append(f.loads, s)
		case segFrames:
			f.frames = s
		}
	}
	return nil
}

// readSections reads the section headers as far as they are readable. A file without sections still has its
// segments.
func (f *ELFFile) readSections(at uint64, n, titles int) {
	b := make([]byte, 64*n)
	if !readAt(f.r, b, at) {
		return
	}
	le := binary.LittleEndian
	name := func(i int) uint64 { return uint64(le.Uint32(b[64*i:])) }
	for i := range n {
		s := b[64*i:]
		f.sections = append(f.sections, section{kind: le.Uint32(s[4:]), addr: le.Uint64(s[16:]), off: le.Uint64(s[24:]),
			size: le.Uint64(s[32:]), link: le.Uint32(s[40:]), entry: le.Uint64(s[56:])})
	}
	if titles >= n {
		return
	}
	from := f.sections[titles].off
	for i := range f.sections {
		f.sections[i].title = readString(f.r, from+name(i), 32)
	}
}

// readAt fills b from an offset; it returns false if that is not possible.
func readAt(r io.ReaderAt, b []byte, at uint64) bool {
	if at > 1<<62 {
		return false
	}
	n, _ := r.ReadAt(b, int64(at))
	return n == len(b)
}

// readString reads a zero-terminated string of at most maxBytes bytes, "" if it cannot be read.
func readString(r io.ReaderAt, at uint64, maxBytes int) string {
	if at > 1<<62 {
		return ""
	}
	b := make([]byte, maxBytes)
	n, _ := r.ReadAt(b, int64(at))
	b, _, _ = bytes.Cut(b[:n], []byte{0})
	return string(b)
}

// Address returns the link-time address of the byte at a file offset; false if the offset is in no loaded
// segment.
func (f *ELFFile) Address(off uint64) (uint64, bool) {
	for _, l := range f.loads {
		if a, ok := l.addressOf(off); ok {
			return a, true
		}
	}
	return 0, false
}

// SectionAddress returns the link-time address of the section with a name; false if there is no such section.
func (f *ELFFile) SectionAddress(title string) (uint64, bool) {
	for _, s := range f.sections {
		if s.title == title && s.addr != 0 {
			return s.addr, true
		}
	}
	return 0, false
}

// offset returns the file offset of an address; false if the address is in no loaded segment.
func (f *ELFFile) offset(addr uint64) (uint64, bool) {
	for _, l := range f.loads {
		if addr-l.addr < l.size {
			return l.off + addr - l.addr, true
		}
	}
	return 0, false
}

// ReadAddress fills b with the file's content at an address; it returns false if that is not possible.
func (f *ELFFile) ReadAddress(b []byte, addr uint64) bool {
	off, ok := f.offset(addr)
	return ok && readAt(f.r, b, off)
}
