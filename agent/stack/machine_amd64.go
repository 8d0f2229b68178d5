package stack

import "unsafe"

// thisMachine returns the description of x86-64, with registers numbered as in the System V ABI: 16 is the
// return address.
func thisMachine() machine {
	return machine{registers: 17, sp: 7, fp: 6, ra: 16, pc: 16, addressBits: 48, redZone: 128}
}

// userRegisters is the size of the kernel's struct user_regs_struct, in words.
const userRegisters = 27

// registersOf returns the registers of a stopped thread in DWARF's order; known has a bit for each.
func registersOf(tid int) (values []uint64, known uint64, err error) {
	var words [userRegisters]uint64
	if err := registerSet(tid, unsafe.Pointer(&words), unsafe.Sizeof(words)); err != nil {
		return nil, 0, err
	}
	// For each register of DWARF its word.
	for _, w := range [17]int{10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16} {
		values = append(values, words[w])
	}
	return values, 1<<len(values) - 1, nil
}

// isCall reports whether the bytes may end with a call instruction: e8 and four bytes, or ff /2 with up to five
// bytes of an operand.
func isCall(b [8]byte) bool {
	if b[3] == 0xe8 {
		return true
	}
	for n := 2; n <= 7; n++ {
		if b[8-n] == 0xff && b[9-n]>>3&7 == 2 {
			return true
		}
	}
	return false
}
