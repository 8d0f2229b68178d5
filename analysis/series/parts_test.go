package series

import (
	"math"
	"testing"
)

// A part is the mean of its present values; a part without any is missing, and no value is used twice if there
// are fewer values than parts.
func TestParts(t *testing.T) {
	nan := math.NaN()
	same := func(got []float64, want ...float64) bool {
		for i, v := range got {
			if i >= len(want) || v != want[i] && !(math.IsNaN(v) && math.IsNaN(want[i])) {
				return false
			}
		}
		return len(got) == len(want)
	}
	lo, mean, hi := Parts([]float64{3, 1, nan, 5, nan, nan}, 3)
	if !same(lo, 1, 5, nan) || !same(mean, 2, 5, nan) || !same(hi, 3, 5, nan) {
		t.Errorf("%v, %v, %v", lo, mean, hi)
	}
	if _, mean, _ = Parts([]float64{3, 1}, 5); !same(mean, 3, 1) {
		t.Errorf("of two values five parts: %v", mean)
	}
	if lo, _, _ = Parts(nil, 5); len(lo) != 0 {
		t.Errorf("of nothing: %v", lo)
	}
}
