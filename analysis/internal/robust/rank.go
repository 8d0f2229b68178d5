package robust

import (
	"math"
	"slices"
)

// FewToSort is the number of values up to which they are sorted instead of partitioned further.
const FewToSort = 8

// Rank reorders x so that the value of rank k is at index k, smaller ones before it and larger ones behind; up
// to FewToSort values are all sorted. x must not contain NaN. For 60 values it takes a tenth of the time of
// sorting (BenchmarkMedian), because no branch depends on a value.
func Rank(x []float64, k int) {
	for turns := 0; len(x) > FewToSort && turns < 40; turns++ {
		p := median3(x[0], x[len(x)/2], x[len(x)-1])
		n := below(x, p)
		switch {
		case k < n:
			x = x[:n]
		case n > 0:
			x, k = x[n:], k-n
		default: // nothing is below it: those that equal it go first
			n = below(x, math.Nextafter(p, math.Inf(1)))
			if k < n {
				return
			}
			x, k = x[n:], k-n
		}
	}
	if len(x) > FewToSort { // parted badly each time, which is never seen
		slices.Sort(x)
		return
	}
	insert(x)
}

// below moves the values below p to the front and returns their number. It has no branch that depends on a
// value: half of them would be predicted wrong.
func below(x []float64, p float64) int {
	n := 0
	for i, v := range x {
		x[i], x[n] = x[n], v
		n += int(math.Float64bits(v-p) >> 63) // the sign
	}
	return n
}

// median3 returns the median of three numbers.
func median3(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}

// insert sorts few values by insertion.
func insert(x []float64) {
	for i := 1; i < len(x); i++ {
		v, k := x[i], i
		for ; k > 0 && v < x[k-1]; k-- {
			x[k] = x[k-1]
		}
		x[k] = v
	}
}
