package stack

import "errors"

var errExpression = errors.New("the program's unwind information uses an unsupported DWARF expression: the stack " +
	"ends there")

// maxOperands limits the stack of an expression. Branches are not supported, so that each byte is read once.
const maxOperands = 32

// evaluate computes a DWARF expression (version 5, 2.5) for a frame; its stack begins with start.
func evaluate(expression []byte, start []uint64, r registers, m memory) (uint64, error) {
	e := evaluation{stack: append(make([]uint64, 0, maxOperands), start...), registers: r, memory: m}
	in := byteReader{b: expression}
	for len(in.b) > 0 && !e.bad {
		e.operation(byte(in.fixed(1)), &in)
	}
	v := e.pop()
	if e.bad || in.bad {
		return 0, errExpression
	}
	return v, nil
}

// evaluation is the state of one expression.
type evaluation struct {
	stack     []uint64
	registers registers
	memory    memory
	bad       bool
}

// push adds a value to the stack; bad is set if the stack is full.
func (e *evaluation) push(v uint64) {
	if len(e.stack) == maxOperands {
		e.bad = true
		return
	}
	e.stack = append(e.stack, v)
}

// pop removes and returns the top value of the stack; bad is set if the stack is empty.
func (e *evaluation) pop() uint64 {
	v := e.pick(0)
	if !e.bad {
		e.stack = e.stack[:len(e.stack)-1]
	}
	return v
}

// pick returns the value at a depth of the stack, 0 for the top; bad is set if it does not exist.
func (e *evaluation) pick(depth int) uint64 {
	if depth < 0 || depth >= len(e.stack) {
		e.bad = true
		return 0
	}
	return e.stack[len(e.stack)-1-depth]
}

// Operations of DWARF.
const (
	opAddr, opDeref                                   = 0x03, 0x06
	opConst1u, opConst8s, opConstu, opConsts          = 0x08, 0x0f, 0x10, 0x11
	opDup, opDrop, opOver, opPick, opSwap, opRot      = 0x12, 0x13, 0x14, 0x15, 0x16, 0x17
	opAbs, opAnd, opDiv, opMinus, opMod, opMul, opNeg = 0x19, 0x1a, 0x1b, 0x1c, 0x1d, 0x1e, 0x1f
	opNot, opOr, opPlus, opPlusConst                  = 0x20, 0x21, 0x22, 0x23
	opShl, opShr, opShra, opXor                       = 0x24, 0x25, 0x26, 0x27
	opEq, opGe, opGt, opLe, opLt, opNe                = 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e
	opLit0, opLit31, opBreg0, opBreg31, opBregx       = 0x30, 0x4f, 0x70, 0x8f, 0x92
	opDerefSize, opNop                                = 0x94, 0x96
)

// operation executes one operation, reading its operands from in.
func (e *evaluation) operation(op byte, in *byteReader) {
	switch {
	case op >= opLit0 && op <= opLit31:
		e.push(uint64(op - opLit0))
	case op >= opBreg0 && op <= opBreg31:
		e.register(uint64(op-opBreg0), in.sleb())
	case op >= opConst1u && op <= opConst8s:
		size := uint64(1) << ((op - opConst1u) / 2)
		if (op-opConst1u)%2 == 0 {
			e.push(in.fixed(size))
		} else {
			e.push(uint64(in.signed(size)))
		}
	case op >= opAnd && op <= opNe:
		e.arithmetic(op, in)
	default:
		e.executeOther(op, in)
	}
}

// register pushes the value of a register plus an offset.
func (e *evaluation) register(n uint64, offset int64) {
	v, ok := e.registers.get(n)
	e.bad = e.bad || !ok
	e.push(v + uint64(offset))
}

// executeOther executes operations on memory and the stack; bad is set for an unknown one.
func (e *evaluation) executeOther(op byte, in *byteReader) {
	switch op {
	case opAddr:
		e.push(in.fixed(8))
	case opConstu:
		e.push(in.uleb())
	case opConsts:
		e.push(uint64(in.sleb()))
	case opBregx:
		n := in.uleb()
		e.register(n, in.sleb())
	case opDeref, opDerefSize:
		size := uint64(8)
		if op == opDerefSize {
			size = min(in.fixed(1), 8)
		}
		v, ok := e.memory.read(e.pop(), size)
		e.bad = e.bad || !ok
		e.push(v)
	case opDup:
		e.push(e.pick(0))
	case opDrop:
		e.pop()
	case opOver:
		e.push(e.pick(1))
	case opPick:
		e.push(e.pick(int(in.fixed(1))))
	case opSwap, opRot:
		n := map[byte]int{opSwap: 1, opRot: 2}[op]
		if e.pick(n); !e.bad {
			top := len(e.stack) - 1
			v := e.stack[top]
			copy(e.stack[top-n+1:], e.stack[top-n:top])
			e.stack[top-n] = v
		}
	case opAbs:
		if v := int64(e.pop()); v < 0 {
			e.push(uint64(-v))
		} else {
			e.push(uint64(v))
		}
	case opNop:
	default:
		e.bad = true
	}
}

// arithmetic executes operations of one or two operands.
func (e *evaluation) arithmetic(op byte, in *byteReader) {
	switch op {
	case opNeg:
		e.push(-e.pop())
		return
	case opNot:
		e.push(^e.pop())
		return
	case opPlusConst:
		e.push(e.pop() + in.uleb())
		return
	}
	b, a := e.pop(), e.pop()
	switch op {
	case opAnd:
		e.push(a & b)
	case opOr:
		e.push(a | b)
	case opXor:
		e.push(a ^ b)
	case opPlus:
		e.push(a + b)
	case opMinus:
		e.push(a - b)
	case opMul:
		e.push(a * b)
	case opDiv, opMod:
		e.divide(op, a, b)
	case opShl:
		e.push(a << b)
	case opShr:
		e.push(a >> b)
	case opShra:
		e.push(uint64(int64(a) >> b))
	default:
		e.compare(op, int64(a), int64(b))
	}
}

// divide pushes a signed quotient or an unsigned remainder; bad is set for a division by 0.
func (e *evaluation) divide(op byte, a, b uint64) {
	switch {
	case b == 0:
		e.bad = true
	case op == opDiv && b == 1<<64-1:
		e.push(-a)
	case op == opDiv:
		e.push(uint64(int64(a) / int64(b)))
	default:
		e.push(a % b)
	}
}

// compare pushes 1 if the comparison holds, else 0.
func (e *evaluation) compare(op byte, a, b int64) {
	holds, ok := map[byte]bool{opEq: a == b, opGe: a >= b, opGt: a > b, opLe: a <= b, opLt: a < b, opNe: a != b}[op]
	e.bad = e.bad || !ok
	v := uint64(0)
	if holds {
		v = 1
	}
	e.push(v)
}
