package periodicity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The components are those of all pairs, whatever the order.
func TestLinkage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		n := 1 + rng.IntN(40)
		x := make([]float64, n)
		for i := range x {
			x[i] = 10 * rng.Float64()
		}
		alike := func(i, j int) bool { return math.Abs(x[i]-x[j]) < 0.5 }
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		for changed := true; changed; {
			changed = false
			for i := range n {
				for j := range n {
					if alike(i, j) && want[j] > want[i] {
						want[j], changed = want[i], true
					}
				}
			}
		}
		if got := linkage(n, alike); !slices.Equal(got, want) {
			t.Fatalf("%v: components %v, want %v", x, got, want)
		}
	}
}
