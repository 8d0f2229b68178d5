//go:build !arm64

package guest

// spin does n turns; the guest is an arm64, this is for the compiler only.
func spin(n uint64) {
	for ; n > 0; n-- {
	}
}
