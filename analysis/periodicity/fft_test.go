package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The correlation by transform is that of the definition.
func TestTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{6, 33, 47, 48} {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		tr := newTransform(64)
		p := make([]float32, 33)
		tr.power(x, p)
		tr.power(x, p) // components add
		c := make([]float32, 64-n)
		tr.correlate(p, c)
		for k := range c {
			want := 0.0
			for i := 0; i+k < n; i++ {
				want += 2 * float64(x[i]) * float64(x[i+k])
			}
			if math.Abs(float64(c[k])-want) > 1e-4*float64(n) {
				t.Fatalf("%d samples, lag %d: %g, want %g", n, k, c[k], want)
			}
		}
	}
}
