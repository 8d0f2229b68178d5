package changepoint

import (
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// Medians are those of sorted values, and levels start from the same ranks.
func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	var buf []float64
	for n := 1; n < 80; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(3*n)) / 7
		}
		sorted := slices.Sorted(slices.Values(x))
		if m := scatter.Middle(slices.Clone(x)); m != middle(sorted) {
			t.Fatalf("median of %v: %v", x, m)
		}
		if m := scatter.MedianIn(&buf, x); m != robust.Median(x) {
			t.Fatalf("median of %v: %v, want %v", x, m, robust.Median(x))
		}
		got := ranked(nil, x)
		if middle(got) != middle(sorted) || got[n/4] != sorted[n/4] || n <= robust.FewToSort && !slices.Equal(got, sorted) {
			t.Fatalf("%v: ranked %v", x, got)
		}
	}
}
