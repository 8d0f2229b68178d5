package guest

// spin does n turns of 2 instructions each.
//
//go:noescape
func spin(n uint64)
