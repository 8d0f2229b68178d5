package quantity

import "strconv"

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

// Rounded returns v with the given number of significant figures, for files: 0.00123 and not
// 0.0012300000000000002.
func Rounded(v float64, figures int) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', figures, 64), 64)
	return v
}
