package stack

import (
	"encoding/binary"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf16"
)

// pythonCode is a code object: a function written in Python.
type pythonCode struct {
	name, file string
	begin      uint64 // address of its first instruction
	firstLine  int
	table      []byte
}

// codeAt returns the code object at an address; nil if it cannot be read.
func (p *python) codeAt(addr uint64) *pythonCode {
	c, ok := p.codes[addr]
	if !ok {
		c = p.readCode(addr)
		p.codes[addr] = c
	}
	return c
}

// readCode reads a code object; nil if the bytes there are not one.
func (p *python) readCode(addr uint64) *pythonCode {
	var kind [5]byte
	if !p.fill(kind[:], p.word(p.word(addr+p.offsets[pyType])+p.offsets[pyTypeName])) || string(kind[:]) != "code\x00" {
		return nil
	}
	b := make([]byte, p.offsets[pyCodeSize])
	if !p.fill(b, addr) {
		return nil
	}
	field := func(i int) uint64 { return binary.LittleEndian.Uint64(b[p.offsets[i]:]) }
	c := &pythonCode{name: p.text(field(pyQualifiedName)), file: p.text(field(pyFile)),
		begin: addr + p.offsets[pyBytecode], firstLine: int(int32(field(pyFirstLine)))}
	if n := p.word(field(pyLineTable) + p.offsets[pyBytesSize]); n <= maxPythonLines {
		c.table = make([]byte, n)
		if !p.fill(c.table, field(pyLineTable)+p.offsets[pyBytesData]) {
			c.table = nil
		}
	}
	if c.name == "" {
		return nil
	}
	return c
}

// text reads a text object, at most maxPythonText characters, "" if that is not possible.
func (p *python) text(addr uint64) string {
	length, state := p.word(addr+p.offsets[pyTextLength]), uint32(p.word(addr+p.offsets[pyTextState]))
	size, compact, ascii := uint64(state>>2&7), state>>5&1 == 1, state>>6&1 == 1
	if !compact || size != 1 && size != 2 && size != 4 {
		return ""
	}
	from := addr + p.offsets[pyASCIISize]
	if !ascii {
		from += 16 // a length and a pointer
	}
	b := make([]byte, size*min(length, maxPythonText))
	if !p.fill(b, from) {
		return ""
	}
	var runes []rune
	switch size {
	case 1:
		for _, c := range b {
			runes = append(runes, rune(c))
		}
	case 2:
		for ; len(b) > 0; b = b[2:] {
			runes = append(runes, utf16.Decode([]uint16{binary.LittleEndian.Uint16(b)})...)
		}
	case 4:
		for ; len(b) > 0; b = b[4:] {
			runes = append(runes, rune(binary.LittleEndian.Uint32(b)))
		}
	}
	return string(runes)
}

// lineAt returns the source line of the instruction at an offset, by a location table of CPython (3.11 and later), 0 if
// it has none. first is the line of the function.
func lineAt(table []byte, first int, offset uint64) int {
	r, line, at := byteReader{b: table}, int64(first), uint64(0)
	for len(r.b) > 0 {
		head := r.fixed(1)
		kind, size := head>>3&15, 2*(head&7+1)
		switch {
		case kind == 15: // no line
		case kind == 14: // line, end line, columns
			line += signedVariable(&r)
			_, _, _ = variable(&r), variable(&r), variable(&r)
		case kind == 13: // line
			line += signedVariable(&r)
		case kind >= 10: // line and two columns
			line += int64(kind) - 10
			r.bytes(2)
		default: // columns
			r.bytes(1)
		}
		if offset < at+size {
			if kind == 15 || r.bad || line < 1 || line > 1<<30 {
				return 0
			}
			return int(line)
		}
		at += size
	}
	return 0
}

// variable reads a number in parts of 6 bits, the lowest first; the seventh bit says that another part follows.
func variable(r *byteReader) (v uint64) {
	for shift := 0; ; shift += 6 {
		b := r.fixed(1)
		if shift < 64 {
			v |= b & 63 << shift
		}
		if b&64 == 0 {
			return v
		}
	}
}

// signedVariable reads such a number with the sign in its lowest bit.
func signedVariable(r *byteReader) int64 {
	v := variable(r)
	if v&1 == 1 {
		return -int64(v >> 1)
	}
	return int64(v >> 1)
}

var (
	packageFile  = regexp.MustCompile(`/(?:site|dist)-packages/(.+)$`)
	standardFile = regexp.MustCompile(`/(python3\.[0-9]+/.+)$`)
)

// pythonLibrary returns what a Frame has as its library: the base name of a source file of the user, in angle brackets
// if it does not end in ".py"; the path within it of one in an installed package; and of the interpreter's own files
// the path that begins with its name.
func pythonLibrary(file string) string {
	if strings.HasPrefix(file, "<frozen ") {
		return "python/" + strings.Trim(strings.TrimPrefix(file, "<frozen "), "<>") + ".py"
	}
	for _, kind := range []*regexp.Regexp{packageFile, standardFile} {
		if m := kind.FindStringSubmatch(file); m != nil {
			return m[1]
		}
	}
	if base := filepath.Base(file); strings.HasSuffix(base, ".py") {
		return base
	}
	return "<" + strings.Trim(filepath.Base(file), "<>") + ">"
}
