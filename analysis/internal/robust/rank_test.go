package robust

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// orders returns values in orders that are good and bad for partitioning.
func orders(r *rand.Rand, n int) map[string][]float64 {
	of := func(f func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = f(i)
		}
		return x
	}
	return map[string][]float64{
		"random":     of(func(int) float64 { return r.NormFloat64() }),
		"few values": of(func(int) float64 { return float64(r.IntN(3)) }),
		"equal":      of(func(int) float64 { return 7 }),
		"rising":     of(func(i int) float64 { return float64(i) }),
		"falling":    of(func(i int) float64 { return float64(-i) }),
		"pipe":       of(func(i int) float64 { return float64(min(i, n-i)) }),
	}
}

// For any order of the values, a rank equals that found by sorting.
func TestRank(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := 1; n < 300; n += 1 + n/7 {
		for name, x := range orders(r, n) {
			sorted := slices.Sorted(slices.Values(x))
			k := r.IntN(n)
			got := slices.Clone(x)
			Rank(got, k)
			if got[k] != sorted[k] || slices.Max(got[:k+1]) != got[k] || slices.Min(got[k:]) != got[k] {
				t.Fatalf("%s, rank %d of %d: %v", name, k, n, got)
			}
			q := r.Float64()
			if v, want := Quantile(x, q), SortedQuantile(sorted, q); v != want {
				t.Fatalf("%s, %g-quantile of %d: %v, sorted %v", name, q, n, v, want)
			}
			if v, want := Median(x), SortedQuantile(sorted, .5); v != want {
				t.Fatalf("%s, median of %d: %v, sorted %v", name, n, v, want)
			}
		}
	}
}

// Infinite values have ranks like others.
func TestRankOfInfinite(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	for range 200 {
		x := make([]float64, 40)
		for i := range x {
			x[i] = []float64{math.Inf(1), math.Inf(-1), r.NormFloat64()}[r.IntN(3)]
		}
		k := r.IntN(len(x))
		got := slices.Clone(x)
		if Rank(got, k); got[k] != slices.Sorted(slices.Values(x))[k] {
			t.Fatalf("rank %d of %v: %v", k, x, got[k])
		}
	}
}

func BenchmarkMedian(b *testing.B) {
	r := rand.New(rand.NewPCG(3, 4))
	x := make([]float64, 600000)
	for i := range x {
		x[i] = r.Float64()
	}
	buf := make([]float64, 60)
	for name, of := range map[string]func([]float64) float64{
		"sorted": func(x []float64) float64 { slices.Sort(x); return x[30] },
		"ranked": func(x []float64) float64 { Rank(x, 30); return x[30] }} {
		b.Run(name, func(b *testing.B) {
			for n := 0; b.Loop(); n += 60 {
				copy(buf, x[n%600000:])
				of(buf)
			}
		})
	}
}
