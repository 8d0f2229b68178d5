package series

import "math"

// Parts returns the smallest, the mean and the largest of each of n equal parts of values, fewer if values has
// less than n elements. A part without a value is NaN.
func Parts(values []float64, n int) (lo, mean, hi []float64) {
	n = max(0, min(n, len(values)))
	lo, mean, hi = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		lo[i], hi[i] = math.NaN(), math.NaN()
		sum, have := 0.0, 0
		for _, v := range values[i*len(values)/n : (i+1)*len(values)/n] {
			if math.IsNaN(v) {
				continue
			}
			if have == 0 {
				lo[i], hi[i] = v, v
			}
			lo[i], hi[i] = min(lo[i], v), max(hi[i], v)
			sum, have = sum+v, have+1
		}
		mean[i] = sum / float64(have)
	}
	return lo, mean, hi
}
