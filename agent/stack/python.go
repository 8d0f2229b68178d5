package stack

import (
	"encoding/binary"
	"strings"
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
