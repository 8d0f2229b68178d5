package stack

import (
	"encoding/binary"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"jobgait/agent/names"
	"jobgait/analysis/note"
)

// pythonOffsets is the table that CPython 3.13 publishes for debuggers at the beginning of its section .PyRuntime: 8
// bytes of text and numbers of 8 bytes, most of them offsets of fields in its structures.
type pythonOffsets [73]uint64

// Indexes of numbers in the table.
const (
	pyVersion       = 1
	pyFreeThreaded  = 2
	pyInterpreters  = 5 // in the runtime: the first interpreter
	pyNext          = 8 // in an interpreter
	pyThreads       = 9
	pyNextThread    = 21 // in a thread
	pyCurrentFrame  = 23
	pyFrameSize     = 28 // of a frame, and in it
	pyPrevious      = 29
	pyExecutable    = 30
	pyInstruction   = 31
	pyOwner         = 33
	pyCodeSize      = 34 // of a code object, and in it
	pyFile          = 35
	pyQualifiedName = 37
	pyLineTable     = 38
	pyFirstLine     = 39
	pyBytecode      = 43
	pyType          = 45 // in any object
	pyTypeName      = 47 // in a type
	pyBytesSize     = 65 // in bytes
	pyBytesData     = 66
	pyTextState     = 68 // in a text
	pyTextLength    = 69
	pyASCIISize     = 70 // of the header of a text that is ASCII
)

const (
	pythonCookie  = 0x7970677562656478 // "xdebugpy"
	pythonVersion = 0x030d             // the only one whose table is understood: 3.13
	pythonSection = ".PyRuntime"
	// pythonEntry is the owner of the frame that lies on the thread's stack, in each call of the evaluating function.
	pythonEntry = 3
)

// Limits of what is read of an interpreter.
const (
	maxInterpreters  = 64
	maxPythonThreads = 512
	maxPythonReads   = 100_000 // reads of memory, of all processes together
	maxPythonObject  = 1024    // bytes of a frame or the fixed part of a code object
	maxPythonText    = 512     // characters
	maxPythonLines   = 1 << 18
)

// pythonCode is a code object: a function written in Python.
type pythonCode struct {
	name, file string
	begin      uint64 // address of its first instruction
	firstLine  int
	table      []byte
}

// pythonFrame is a call of a function.
type pythonFrame struct{ code, instruction uint64 }

// python reads the frames of an interpreter of CPython 3.13 from the memory of its process, which continues
// meanwhile.
type python struct {
	memory  processMemory
	stack   memory // the copy of the stack of the thread in question, which does not change
	runtime uint64
	offsets pythonOffsets
	codes   map[uint64]*pythonCode
	reads   *int
}

// newPython returns a reader for the interpreter whose section .PyRuntime is at an address; false if it is of another
// version or cannot be read.
func newPython(m processMemory, runtime uint64, reads *int) (*python, bool) {
	p := &python{memory: m, runtime: runtime, codes: map[uint64]*pythonCode{}, reads: reads}
	return p, p.readOffsets()
}

// readOffsets reads the table of offsets; false if it is of another version or cannot be read.
func (p *python) readOffsets() bool {
	var b [len(p.offsets) * 8]byte
	if !p.fill(b[:], p.runtime) {
		return false
	}
	for i := range p.offsets {
		p.offsets[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	o := &p.offsets
	ok := o[0] == pythonCookie && o[pyVersion]>>16 == pythonVersion && o[pyFreeThreaded] == 0 &&
		o[pyFrameSize] <= maxPythonObject && o[pyCodeSize] <= maxPythonObject
	for _, field := range []int{pyPrevious, pyExecutable, pyInstruction} {
		ok = ok && o[pyFrameSize] >= 8 && o[field] <= o[pyFrameSize]-8
	}
	for _, field := range []int{pyFile, pyQualifiedName, pyLineTable, pyFirstLine} {
		ok = ok && o[pyCodeSize] >= 8 && o[field] <= o[pyCodeSize]-8
	}
	return ok && o[pyOwner] < o[pyFrameSize]
}

// fill reads memory into b, of the thread's stack from its copy; false if that is not possible.
func (p *python) fill(b []byte, addr uint64) bool {
	if *p.reads--; *p.reads < 0 {
		return false
	}
	if at := addr - p.stack.start; at < uint64(len(p.stack.bytes)) && uint64(len(p.stack.bytes))-at >= uint64(len(b)) {
		copy(b, p.stack.bytes[at:])
		return true
	}
	return p.memory.read(addr, b) == len(b)
}

// word reads a number of 8 bytes, 0 if that is not possible.
func (p *python) word(addr uint64) uint64 {
	var b [8]byte
	if !p.fill(b[:], addr) {
		return 0
	}
	return binary.LittleEndian.Uint64(b[:])
}

// segmentsOf returns the frames of the thread whose calls of the evaluating function have their frames between the
// given addresses of its stack, innermost first: one list for each call. It returns nil if no thread of the interpreter
// agrees with them, as one that has gone on. more allows further calls beyond the last one.
func (p *python) segmentsOf(calls []addressRange, more bool) [][]pythonFrame {
	interpreter := p.word(p.runtime + p.offsets[pyInterpreters])
	for range maxInterpreters {
		if interpreter == 0 {
			break
		}
		thread := p.word(interpreter + p.offsets[pyThreads])
		for range maxPythonThreads {
			if thread == 0 {
				break
			}
			if s := p.segments(p.word(thread+p.offsets[pyCurrentFrame]), calls, more); s != nil {
				return s
			}
			thread = p.word(thread + p.offsets[pyNextThread])
		}
		interpreter = p.word(interpreter + p.offsets[pyNext])
	}
	return nil
}

// addressRange is a part of memory: begin belongs to it, end does not.
type addressRange struct{ begin, end uint64 }

// segments follows the frames from one outwards. See segmentsOf.
func (p *python) segments(frame uint64, calls []addressRange, more bool) (list [][]pythonFrame) {
	var current []pythonFrame
	b := make([]byte, p.offsets[pyFrameSize])
	for range 4 * maxFrames {
		if len(list) == len(calls) && (frame == 0 && len(current) == 0 || more) {
			return list
		}
		if frame == 0 || len(list) == len(calls) || !p.fill(b, frame) {
			return nil
		}
		number := func(field int) uint64 { return binary.LittleEndian.Uint64(b[p.offsets[field]:]) }
		if b[p.offsets[pyOwner]] == pythonEntry {
			if in := calls[len(list)]; frame < in.begin || frame >= in.end {
				return nil
			}
			list, current = append(list, current), nil
		} else {
			current = append(current, pythonFrame{number(pyExecutable), number(pyInstruction)})
		}
		frame = number(pyPrevious)
	}
	return nil
}

// maxInstruction is the size of the largest instruction of Python with its cache, in bytes.
const maxInstruction = 64

// confirmed returns the innermost frame of a call of the evaluating function, as it was when the stack was copied. The
// call has a pointer to the next instruction in a register or, in the given range, on the stack. If that does not point
// behind the frame's instruction but elsewhere into its function, the function has gone on since: its instruction is
// then that before the one in a register, else unknown (0). It returns false if nothing points into the function: the
// thread executed another one when it was copied.
func (p *python) confirmed(f pythonFrame, call walkedFrame, in addressRange) (pythonFrame, bool) {
	begin, size := f.code+p.offsets[pyBytecode], 2*min(p.word(f.code+p.offsets[pyBytesSize]), 1<<28)
	found, moved := false, uint64(0)
	for n := range uint64(len(call.registers.value)) {
		if v, ok := call.registers.get(n); ok && v-begin <= size {
			if v-f.instruction <= maxInstruction {
				return f, true
			}
			found, moved = true, max(begin, v-2)
		}
	}
	for at := in.begin; at < in.end; at += 8 {
		v, ok := p.stack.read(at, 8)
		if !ok {
			break
		}
		if v-begin <= size {
			if v-f.instruction <= maxInstruction {
				return f, true
			}
			found = true
		}
	}
	f.instruction = moved
	return f, found
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

// frame returns a call as a Frame; false if it has no code object.
func (p *python) frame(f pythonFrame, d DetailLevel) (Frame, bool) {
	c := p.codeAt(f.code)
	if c == nil {
		return Frame{}, false
	}
	out := Frame{Function: note.Clean(c.name, names.MaxName), Library: note.Clean(pythonLibrary(c.file), names.MaxName),
		Offset: max(f.instruction, c.begin) - c.begin}
	if d == Lines && f.instruction >= c.begin {
		if out.Line = lineAt(c.table, c.firstLine, out.Offset); out.Line > 0 {
			out.File = note.Clean(filepath.ToSlash(c.file), maxPath)
		}
	}
	return out, true
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

// withPython replaces, in the frames of a thread, the calls of the function that evaluates Python by the functions that
// it evaluates, and drops the interpreter's functions between them, unless the interpreter is linked into another
// program: then the functions of both are in one file. It returns the frames as they are if the
// interpreter is of another version or cannot be read, and if its frames do not agree with the stack, because the
// thread has gone on since the copy. It recovers from panics, so that one interpreter cannot stop the others.
func (u *unwinder) withPython(c ThreadCopy, walk []walkedFrame, s ThreadStack) (out []Frame) {
	frames := s.Frames
	defer func() {
		if recover() != nil {
			out = frames
		}
	}()
	var calls []addressRange
	var at []int
	for i, f := range frames {
		if !isPython(f) {
			continue
		}
		begin := c.Registers[thisMachine().sp]
		if i > 0 {
			begin = walk[i-1].end
		}
		calls, at = append(calls, addressRange{begin, walk[i].end}), append(at, i)
	}
	if len(calls) == 0 || u.noPython || u.outOfTime() {
		return frames
	}
	lib := walk[at[0]].location.library
	p := u.pythonOf(c.PID, lib, walk[at[0]])
	if p == nil {
		return frames
	}
	p.stack = memory{c.Registers[thisMachine().sp], c.Stack}
	segments := p.segmentsOf(calls, s.Ending != Whole)
	if segments == nil {
		return frames
	}
	out = slices.Clone(frames[:at[0]])
	for i := at[0]; i < len(frames); i++ {
		k := slices.Index(at, i)
		if k < 0 {
			if walk[i].location.library != lib || !isInterpreterFile(lib.name) {
				out = append(out, frames[i])
			}
			continue
		}
		for n, f := range segments[k] {
			ok := true
			if n == 0 {
				f, ok = p.confirmed(f, walk[i], calls[k])
			}
			frame, known := p.frame(f, u.detail)
			if !ok || !known {
				return frames
			}
			out = append(out, frame)
		}
	}
	return out[:min(len(out), maxFrames)]
}

// isInterpreterFile reports whether a file with this name contains only CPython, like python3.13 or libpython3.13.so.
func isInterpreterFile(name string) bool {
	return strings.HasPrefix(name, "python") || strings.HasPrefix(name, "libpython")
}

// pythonOf returns the reader for the interpreter of a process, nil if it cannot be read. lib is its file, and frame a
// frame in it.
func (u *unwinder) pythonOf(pid int, lib *library, frame walkedFrame) *python {
	p, ok := u.interpreters[pid]
	if ok {
		return p
	}
	linked, known := uint64(0), false
	if lib.elf != nil {
		linked, known = lib.elf.SectionAddress(pythonSection)
	}
	code, also := uint64(0), false
	if known {
		code, also = lib.elf.Address(frame.location.offset)
	}
	if also {
		m := openMemory(u.libraries.proc, pid)
		if p, ok = newPython(m, linked+frame.code-code, &u.pythonReads); !ok {
			m.close()
			p = nil
		}
	}
	u.interpreters[pid] = p
	return p
}
