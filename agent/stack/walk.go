package stack

import "encoding/binary"

// maxFrames limits the frames of a stack. The deepest one of an MPI program seen has 40.
const maxFrames = 256

// registers are the register values of one frame.
type registers struct {
	value []uint64
	known uint64 // a bit for each that is known
}

// get returns the value of a register; false if it is unknown.
func (r registers) get(n uint64) (uint64, bool) {
	if n >= uint64(len(r.value)) || r.known&(1<<n) == 0 {
		return 0, false
	}
	return r.value[n], true
}

// set sets the value of a register.
func (r *registers) set(n, v uint64) {
	if n < uint64(len(r.value)) {
		r.value[n] = v
		r.known |= 1 << n
	}
}

// forget marks a register as unknown.
func (r *registers) forget(n uint64) { r.known &^= 1 << n }

// walkedFrame is a frame of a walk: where its code is, the address of that code in memory, its registers, and the
// address at which the frame ends, the canonical frame address of DWARF; 0 if it is not known.
type walkedFrame struct {
	location  frameLocation
	code, end uint64
	registers registers
}

// memory is a copy of a stack and the address at which the copy starts.
type memory struct {
	start uint64
	bytes []byte
}

// read returns the number of size (1 to 8) bytes at an address; false if it is outside of the copy.
func (m memory) read(addr, size uint64) (uint64, bool) {
	at := addr - m.start
	if at >= uint64(len(m.bytes)) || uint64(len(m.bytes))-at < size {
		return 0, false
	}
	var b [8]byte
	copy(b[:], m.bytes[at:at+size])
	return binary.LittleEndian.Uint64(b[:]), true
}

// frameLocation is the code location of a frame: of the call that led to the next inner frame or, for the
// innermost frame, of the next instruction.
type frameLocation struct {
	library *library
	offset  uint64 // file offset of the call's last byte; for the innermost frame of the next instruction
}

// WalkEnd says why unwinding ended.
type WalkEnd string

// The endings.
const (
	Whole      WalkEnd = "whole"       // at the outermost frame
	NoTable    WalkEnd = "no_table"    // a function has no table and no frame pointer that leads on
	NoCode     WalkEnd = "no_code"     // a return address lies in no file, as that of code compiled at run time does
	CopyEnds   WalkEnd = "copy_ends"   // the stack is larger than its copy
	BadTable   WalkEnd = "bad_table"   // a table is not understood
	NotUp      WalkEnd = "not_up"      // a frame does not lie above the one before: a stack without end
	TooDeep    WalkEnd = "too_deep"    // maxFrames were found
	NoRegister WalkEnd = "no_register" // a register is needed that is not known of a thread that sleeps in the kernel
)

// walk is the state of unwinding one stack.
type walk struct {
	machine   machine
	libraries *libraries
	pid       int
	mappings  []mapping
	memory    memory
	registers registers
	frame     uint64 // address of the frame before, 0 at the innermost one
	exact     bool   // the program counter is that of the next instruction, not a return address
}

// allFrames returns all frames of the stack, innermost first, and why unwinding ended.
func (w *walk) allFrames() (frames []walkedFrame, why WalkEnd) {
	w.exact = true
	for len(frames) < maxFrames {
		pc, _ := w.registers.get(uint64(w.machine.pc))
		if pc == 0 && len(frames) > 0 {
			return frames, Whole
		}
		m := mappingAt(w.mappings, pc)
		if m == nil {
			return frames, NoCode
		}
		lib := w.libraries.libraryOf(w.pid, m)
		off := pc - m.start + m.offset
		if !w.exact {
			off--
		}
		frames = append(frames, walkedFrame{location: frameLocation{lib, off}, code: m.start + off - m.offset,
			registers: w.registers})
		if why = w.step(lib, off); why != "" {
			return frames, why
		}
		frames[len(frames)-1].end = w.frame
	}
	return frames, TooDeep
}

// step moves to the caller of the function at a file offset of lib, by the function's entry in .eh_frame or, without
// one, by the frame pointer. It returns why that is not possible, "" if it is.
func (w *walk) step(lib *library, off uint64) WalkEnd {
	if lib.elf == nil {
		return w.stepByFramePointer()
	}
	addr, ok := lib.elf.Address(off)
	if !ok {
		return w.stepByFramePointer()
	}
	e, ok := lib.entryAt(addr)
	if !ok {
		return w.stepByFramePointer()
	}
	r, err := e.rowAt(addr)
	if err != nil {
		return BadTable
	}
	return w.stepByTable(e, r)
}

// stepByTable moves to the caller by the rules of a row and returns "". Otherwise it returns why it cannot: Whole if
// the rules say that there is no caller, NotUp if the frame does not lie above the one before it.
func (w *walk) stepByTable(e entry, r row) WalkEnd {
	frame, why := w.frameAddress(r.frame)
	if why != "" {
		return why
	}
	if w.frame != 0 && frame <= w.frame && !e.signal {
		return NotUp
	}
	back := r.of[e.returnAddress]
	if back.kind == unknownValue {
		return Whole
	}
	next := registers{append([]uint64{}, w.registers.value...), w.registers.known}
	for n := range uint64(len(next.value)) {
		if n == uint64(w.machine.sp) && r.of[n].kind == unchanged {
			continue
		}
		if v, ok := w.value(r.of[n], n, frame); ok {
			next.set(n, v)
		} else {
			next.forget(n)
		}
	}
	if r.of[w.machine.sp].kind == unchanged {
		next.set(uint64(w.machine.sp), frame)
	}
	pc, ok := next.get(e.returnAddress)
	if !ok {
		return w.whyMissing(back, frame)
	}
	if back.kind == unchanged && !w.exact {
		return NotUp // a function that has called has saved its return address
	}
	next.set(uint64(w.machine.pc), pc&(1<<w.machine.addressBits-1))
	w.registers, w.frame, w.exact = next, frame, e.signal
	if e.signal {
		w.frame = 0 // the interrupted stack may lie anywhere
	}
	return ""
}

// whyMissing returns why the return address, whose rule is back, is unknown: CopyEnds if it was saved outside of the
// copied stack, else NoRegister. frame is the address of the frame.
func (w *walk) whyMissing(back rule, frame uint64) WalkEnd {
	if back.kind == savedAt {
		if _, ok := w.memory.read(frame+uint64(back.offset), 8); !ok {
			return CopyEnds
		}
	}
	return NoRegister
}

// frameAddress computes the address of a frame, the canonical frame address of DWARF, by its rule f. Otherwise it
// returns why it cannot: NoRegister if the register is unknown, else BadTable.
func (w *walk) frameAddress(f rule) (uint64, WalkEnd) {
	switch f.kind {
	case inRegister:
		v, ok := w.registers.get(f.register)
		if !ok {
			return 0, NoRegister
		}
		return v + uint64(f.offset), ""
	case isResult:
		v, err := evaluate(f.expression, nil, w.registers, w.memory)
		if err != nil {
			return 0, BadTable
		}
		return v, ""
	}
	return 0, BadTable
}

// value returns the caller's value of register n, by the row's rule r for it; frame is the address of the frame. It
// returns false if the value is unknown.
func (w *walk) value(r rule, n, frame uint64) (uint64, bool) {
	switch r.kind {
	case unchanged:
		return w.registers.get(n)
	case savedAt:
		return w.memory.read(frame+uint64(r.offset), 8)
	case isOffset:
		return frame + uint64(r.offset), true
	case inRegister:
		return w.registers.get(r.register)
	case savedAtResult, isResult:
		v, err := evaluate(r.expression, []uint64{frame}, w.registers, w.memory)
		if err != nil {
			return 0, false
		}
		if r.kind == isResult {
			return v, true
		}
		return w.memory.read(v, 8)
	}
	return 0, false
}

// stepByFramePointer moves to the caller by the frame pointer, for a function without a table: it points to the
// caller's frame pointer, with the return address above. The return address must follow a call. It returns "" after
// the move, NoRegister without a known frame pointer, and NoTable if the frame pointer does not lead to a caller.
func (w *walk) stepByFramePointer() WalkEnd {
	fp, ok := w.registers.get(uint64(w.machine.fp))
	if !ok {
		return NoRegister
	}
	sp, _ := w.registers.get(uint64(w.machine.sp))
	caller, ok := w.memory.read(fp, 8)
	pc, also := w.memory.read(fp+8, 8)
	if !ok || !also || fp%8 != 0 || fp < sp || w.frame != 0 && fp+16 <= w.frame {
		return NoTable
	}
	pc &= 1<<w.machine.addressBits - 1
	m := mappingAt(w.mappings, pc)
	if m == nil {
		return NoTable
	}
	lib := w.libraries.libraryOf(w.pid, m)
	if lib.elf == nil {
		return NoTable
	}
	addr, ok := lib.elf.Address(pc - m.start + m.offset)
	if !ok || !lib.followsCall(addr) {
		return NoTable
	}
	next := registers{append([]uint64{}, w.registers.value...), 0}
	next.set(uint64(w.machine.fp), caller)
	next.set(uint64(w.machine.sp), fp+16)
	next.set(uint64(w.machine.pc), pc)
	w.registers, w.frame, w.exact = next, fp+16, false
	return ""
}
