package stack

import (
	"bytes"
	"errors"

	"jobgait/agent/names"
)

// Limits of one entry of .eh_frame. The longest seen has some kilobytes.
const (
	maxEntry      = 64 << 10
	maxRemembered = 16
	maxRegisters  = 64
)

var errTable = errors.New("the program's section .eh_frame is malformed or unsupported: stacks end at its functions")

// ruleKind says how a register of the caller is found (DWARF version 5, 6.4.1).
type ruleKind uint8

const (
	unchanged     ruleKind = iota // the caller's value is this frame's
	unknownValue                  // the register is lost; for the return address: there is no caller
	savedAt                       // in memory, at the frame address + offset
	isOffset                      // it is the frame address + offset
	inRegister                    // it is in another register
	savedAtResult                 // in memory, where the expression says
	isResult                      // it is what the expression says
)

// rule says how one register of the caller is found.
type rule struct {
	kind       ruleKind
	offset     int64
	register   uint64
	expression []byte
}

// row has the rules that hold at one address of a function. The frame address is a register + offset, or an
// expression.
type row struct {
	frame rule // of kind inRegister or isResult
	of    [maxRegisters]rule
}

// entry is a frame description entry with the fields of its common information entry.
type entry struct {
	begin, size        uint64
	codeUnit           uint64
	dataUnit           int64
	returnAddress      uint64 // register
	signal             bool   // the frame of a signal: the caller was interrupted, it has not called
	first, instruction []byte
	pointers           byte
}

// readEntry reads the frame description entry at an address of .eh_frame.
func readEntry(f *names.ELFFile, addr uint64) (entry, error) {
	body, at, err := readUnit(f, addr)
	if err != nil {
		return entry{}, err
	}
	in := byteReader{b: body}
	back := in.fixed(4)
	if back == 0 || back > at {
		return entry{}, errTable
	}
	e, err := readCommon(f, at-back)
	if err != nil {
		return entry{}, err
	}
	where := func() uint64 { return at + uint64(len(body)-len(in.b)) }
	e.begin = pointer(&in, e.pointers, where())
	e.size = pointer(&in, e.pointers&0x0f, 0)
	in.bytes(in.uleb()) // augmentation data
	e.instruction = in.b
	if in.bad {
		return entry{}, errTable
	}
	return e, nil
}

// readUnit returns the body of the entry at an address, without its length, and the body's address.
func readUnit(f *names.ELFFile, addr uint64) (body []byte, at uint64, err error) {
	var head [4]byte
	if !f.ReadAddress(head[:], addr) {
		return nil, 0, errTable
	}
	size := (&byteReader{b: head[:]}).fixed(4)
	if size < 4 || size > maxEntry {
		return nil, 0, errTable
	}
	body = make([]byte, size)
	if !f.ReadAddress(body, addr+4) {
		return nil, 0, errTable
	}
	return body, addr + 4, nil
}

// readCommon reads the common information entry at an address of .eh_frame. It returns errTable for a version other
// than 1 and 3, an unknown augmentation, or a malformed entry.
func readCommon(f *names.ELFFile, addr uint64) (e entry, err error) {
	body, at, err := readUnit(f, addr)
	if err != nil {
		return entry{}, err
	}
	in := byteReader{b: body}
	if in.fixed(4) != 0 {
		return entry{}, errTable
	}
	version := in.fixed(1)
	more := in.text()
	e.codeUnit, e.dataUnit = in.uleb(), in.sleb()
	if version == 1 {
		e.returnAddress = in.fixed(1)
	} else {
		e.returnAddress = in.uleb()
	}
	if version != 1 && version != 3 || len(more) == 0 || more[0] != 'z' {
		return entry{}, errTable
	}
	data := byteReader{b: in.bytes(in.uleb())}
	for _, c := range more[1:] {
		switch c {
		case 'R':
			e.pointers = byte(data.fixed(1))
		case 'P':
			pointer(&data, byte(data.fixed(1)), at)
		case 'L':
			data.fixed(1)
		case 'S':
			e.signal = true
		case 'B', 'G': // arm64: how return addresses are signed
		default:
			return entry{}, errTable
		}
	}
	e.first = in.b
	if in.bad || data.bad || e.returnAddress >= maxRegisters {
		return entry{}, errTable
	}
	return e, nil
}

// omittedPointer is the encoding of a pointer that is absent.
const omittedPointer = 0xff

// pointer reads an encoded pointer (Linux Standard Base, 10.5.1) whose own address is at. It returns 0 for an omitted
// pointer and sets in.bad for an unknown format.
func pointer(in *byteReader, encoding byte, at uint64) uint64 {
	const relative = 0x10
	var v uint64
	switch {
	case encoding == omittedPointer:
		return 0
	case encoding&0x0f == 0x00 || encoding&0x0f == 0x04 || encoding&0x0f == 0x0c:
		v = in.fixed(8)
	case encoding&0x0f == 0x01:
		v = in.uleb()
	case encoding&0x0f == 0x02:
		v = in.fixed(2)
	case encoding&0x0f == 0x03:
		v = in.fixed(4)
	case encoding&0x0f == 0x09:
		v = uint64(in.sleb())
	case encoding&0x0f == 0x0a:
		v = uint64(in.signed(2))
	case encoding&0x0f == 0x0b:
		v = uint64(in.signed(4))
	default:
		in.bad = true
	}
	if encoding&0x70 == relative {
		v += at
	}
	return v
}

// rowAt executes the instructions of an entry up to an address and returns the rules that hold there.
func (e entry) rowAt(pc uint64) (row, error) {
	var r program
	r.entry = e
	r.run(e.first, ^uint64(0))
	r.initial = r.row
	r.at = e.begin
	r.run(e.instruction, pc)
	if r.bad {
		return row{}, errTable
	}
	return r.row, nil
}

// program is the state of executing call frame instructions (DWARF version 5, 6.4.2).
type program struct {
	entry      entry
	row        row
	initial    row
	remembered []row
	at         uint64
	bad        bool
}

// Call frame instructions.
const (
	cfaAdvance, cfaOffset, cfaRestore                = 0x40, 0x80, 0xc0
	cfaNop, cfaSetLoc                                = 0x00, 0x01
	cfaAdvance1, cfaAdvance2, cfaAdvance4            = 0x02, 0x03, 0x04
	cfaOffsetExt, cfaRestoreExt                      = 0x05, 0x06
	cfaUndefined, cfaSame, cfaRegister               = 0x07, 0x08, 0x09
	cfaRemember, cfaRestoreState                     = 0x0a, 0x0b
	cfaDef, cfaDefRegister, cfaDefOffset, cfaDefExpr = 0x0c, 0x0d, 0x0e, 0x0f
	cfaExpression, cfaOffsetExtSF                    = 0x10, 0x11
	cfaDefSF, cfaDefOffsetSF                         = 0x12, 0x13
	cfaValOffset, cfaValOffsetSF, cfaValExpression   = 0x14, 0x15, 0x16
	cfaNegateRA, cfaArgsSize, cfaNegativeOffset      = 0x2d, 0x2e, 0x2f
)

// run executes call frame instructions (DWARF) until the location passes pc.
func (p *program) run(code []byte, pc uint64) {
	in := byteReader{b: bytes.Clone(code)}
	for len(in.b) > 0 && !p.bad && p.at <= pc {
		op := byte(in.fixed(1))
		switch op & 0xc0 {
		case cfaAdvance:
			p.advance(uint64(op & 0x3f))
		case cfaOffset:
			p.set(uint64(op&0x3f), rule{kind: savedAt, offset: int64(in.uleb()) * p.entry.dataUnit})
		case cfaRestore:
			p.restore(uint64(op & 0x3f))
		default:
			p.extended(op, &in)
		}
	}
	p.bad = p.bad || in.bad
}

// advance moves the location by a number of code units.
func (p *program) advance(units uint64) { p.at += units * p.entry.codeUnit }

// set sets the rule of a register.
func (p *program) set(register uint64, r rule) {
	if register < maxRegisters { // vector registers have greater numbers and are not needed to find the caller
		p.row.of[register] = r
	}
}

// restore resets the rule of a register to the common entry's.
func (p *program) restore(register uint64) {
	if register < maxRegisters {
		p.row.of[register] = p.initial.of[register]
	}
}

// extended executes an instruction with its operands after the opcode.
func (p *program) extended(op byte, in *byteReader) {
	unit := p.entry.dataUnit
	switch op {
	case cfaNop, cfaNegateRA:
	case cfaSetLoc:
		p.bad = true // no compiler writes it, and it may go back
	case cfaAdvance1, cfaAdvance2, cfaAdvance4:
		p.advance(in.fixed(1 << (op - cfaAdvance1)))
	case cfaRestoreExt:
		p.restore(in.uleb())
	case cfaRemember:
		if len(p.remembered) == maxRemembered {
			p.bad = true
			return
		}
		p.remembered = append(p.remembered, p.row)
	case cfaRestoreState:
		n := len(p.remembered)
		if n == 0 {
			p.bad = true
			return
		}
		p.row, p.remembered = p.remembered[n-1], p.remembered[:n-1]
	case cfaDef, cfaDefSF, cfaDefRegister, cfaDefOffset, cfaDefOffsetSF, cfaDefExpr:
		p.define(op, in)
	case cfaArgsSize:
		in.uleb()
	case cfaUndefined:
		p.set(in.uleb(), rule{kind: unknownValue})
	case cfaSame:
		p.set(in.uleb(), rule{kind: unchanged})
	default:
		p.saved(op, in, unit)
	}
}

// define sets how the frame address is found.
func (p *program) define(op byte, in *byteReader) {
	f := &p.row.frame
	switch op {
	case cfaDef:
		*f = rule{kind: inRegister, register: in.uleb()}
		f.offset = int64(in.uleb())
	case cfaDefSF:
		*f = rule{kind: inRegister, register: in.uleb()}
		f.offset = in.sleb() * p.entry.dataUnit
	case cfaDefRegister:
		f.register = in.uleb()
	case cfaDefOffset:
		f.offset = int64(in.uleb())
	case cfaDefOffsetSF:
		f.offset = in.sleb() * p.entry.dataUnit
	case cfaDefExpr:
		*f = rule{kind: isResult, expression: in.bytes(in.uleb())}
	}
}

// saved executes an instruction that sets the rule of a register. An instruction of another kind marks the
// program as bad.
func (p *program) saved(op byte, in *byteReader, unit int64) {
	register := in.uleb()
	switch op {
	case cfaOffsetExt:
		p.set(register, rule{kind: savedAt, offset: int64(in.uleb()) * unit})
	case cfaOffsetExtSF:
		p.set(register, rule{kind: savedAt, offset: in.sleb() * unit})
	case cfaNegativeOffset:
		p.set(register, rule{kind: savedAt, offset: -int64(in.uleb()) * unit})
	case cfaValOffset:
		p.set(register, rule{kind: isOffset, offset: int64(in.uleb()) * unit})
	case cfaValOffsetSF:
		p.set(register, rule{kind: isOffset, offset: in.sleb() * unit})
	case cfaRegister:
		p.set(register, rule{kind: inRegister, register: in.uleb()})
	case cfaExpression:
		p.set(register, rule{kind: savedAtResult, expression: in.bytes(in.uleb())})
	case cfaValExpression:
		p.set(register, rule{kind: isResult, expression: in.bytes(in.uleb())})
	default:
		p.bad = true
	}
}
