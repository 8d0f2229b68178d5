package job

import (
	"math"
	"time"

	"jobgait/analysis/quantity"
)

// positive returns v if it is above 0, else nil: 0 means a length or rate that was not measured.
func positive(v float64) *float64 {
	if !(v > 0) {
		return nil
	}
	return quantity.FiniteOf(&v)
}

// moment returns the time of epoch seconds; values outside of the years 1970 to 9999 become 1970.
func moment(epoch float64) time.Time {
	const year9999 = 253402300799
	epoch = quantity.OrZero(epoch)
	if epoch < 0 || epoch > year9999 {
		epoch = 0
	}
	s := math.Floor(epoch)
	return time.Unix(int64(s), int64((epoch-s)*1e9)).UTC()
}

// stamp returns the time of epoch seconds in RFC 3339, in UTC.
func stamp(epoch float64) string { return moment(epoch).Format(time.RFC3339) }
