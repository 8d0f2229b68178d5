package stack

// machine is what the walk must know of a processor: how many registers DWARF numbers and which of them are the stack
// pointer, the frame pointer, the column of the return address and the program counter.
type machine struct {
	registers, sp, fp, ra, pc int
	// addressBits are the bits of an address of code: what is above them signs a return address on arm64.
	addressBits uint
}
