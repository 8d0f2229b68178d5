package stack

import (
	"encoding/binary"
	"path/filepath"
	"slices"

	"jobgait/agent/names"
	"jobgait/analysis/note"
)

// pythonFrame is a call of a function.
type pythonFrame struct{ code, instruction uint64 }

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
	p.stack = memory{c.StackAt, c.Stack}
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
