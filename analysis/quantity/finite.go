package quantity

import "strconv"

// Finite returns a pointer to v, nil for NaN and infinity, which JSON cannot represent.
func Finite(v float64) *float64 {
	if !Known(v) {
		return nil
	}
	return &v
}

// FiniteOf returns v, nil if it is nil, NaN or infinite.
func FiniteOf(v *float64) *float64 {
	if v == nil {
		return nil
	}
	return Finite(*v)
}

// OrZero returns v, 0 for NaN and infinity: only for times and sums that always exist.
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
