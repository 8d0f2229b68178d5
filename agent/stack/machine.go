package stack

// machine describes a processor for unwinding: the number of DWARF registers, and the numbers of the stack
// pointer, the frame pointer, the return address and the program counter.
type machine struct {
	registers, sp, fp, ra, pc int
	// addressBits are the bits of an address of code: what is above them signs a return address on arm64.
	addressBits uint
	// redZone is how many bytes below the stack pointer belong to the function. A register that the end of a function has
	// restored remains there, where the table of the function says that it is saved.
	redZone uint64
}
