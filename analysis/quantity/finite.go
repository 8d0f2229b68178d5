package quantity

// Finite returns a pointer to v, nil for what is no number: JSON cannot hold it.
func Finite(v float64) *float64 {
	if !Known(v) {
		return nil
	}
	return &v
}

// FiniteOf is Finite of what may not be there.
func FiniteOf(v *float64) *float64 {
	if v == nil {
		return nil
	}
	return Finite(*v)
}

// OrZero returns v, 0 for what is no number: only for times and sums that are always there.
func OrZero(v float64) float64 {
	if !Known(v) {
		return 0
	}
	return v
}
