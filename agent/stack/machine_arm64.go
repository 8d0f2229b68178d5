package stack

import (
	"encoding/binary"
	"unsafe"
)

// thisMachine returns the description of AArch64, with registers numbered as in its ABI: 30 is the link
// register, 31 the stack pointer, 32 the program counter.
func thisMachine() machine {
	return machine{registers: 33, sp: 31, fp: 29, ra: 30, pc: 32, addressBits: 48}
}

// registersOf reads the registers of a stopped thread: struct user_pt_regs has them in DWARF's order, and the state of
// the processor after them.
func registersOf(tid int) (values []uint64, known uint64, err error) {
	var words [34]uint64
	if err := registerSet(tid, unsafe.Pointer(&words), unsafe.Sizeof(words)); err != nil {
		return nil, 0, err
	}
	n := thisMachine().registers
	return append([]uint64{}, words[:n]...), 1<<n - 1, nil
}

// isCall reports whether the bytes end with a bl or a form of blr.
func isCall(b [8]byte) bool {
	w := binary.LittleEndian.Uint32(b[4:])
	return w>>26 == 0x25 || w&0xfefff000 == 0xd63f0000
}
