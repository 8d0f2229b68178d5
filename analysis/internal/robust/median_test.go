package robust

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Medians are those of sorted values, to the last bit.
func TestMedians(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var buf []float64
	for n := 1; n < 80; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(3*n)) / 7
		}
		sorted := slices.Sorted(slices.Values(x))
		if got, want := MedianInPlace(slices.Clone(x)), (sorted[(n-1)/2]+sorted[n/2])/2; got != want {
			t.Fatalf("median of %v: %v, want %v", x, got, want)
		}
		if got := SortedMedian(sorted); got != (sorted[(n-1)/2]+sorted[n/2])/2 ||
			SortedLowerMedian(sorted) != sorted[(n-1)/2] {
			t.Fatalf("median of ascending %v: %v", sorted, got)
		}
		if got := MedianWithBuffer(&buf, x); got != Median(x) {
			t.Fatalf("median of %v: %v, want %v", x, got, Median(x))
		}
	}
	if v := MedianInPlace(nil); !math.IsNaN(v) {
		t.Errorf("of nothing: %v", v)
	}
}
