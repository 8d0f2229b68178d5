package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The correlation by transform is that of the definition.
func TestTransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{1, 2, 3, 5, 6, 12, 33, 47, 48, 100, 300, 1536} {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		size := transformSize(n + n/3)
		tr := newTransform(size)
		p := make([]float32, size/2+1)
		tr.power(x, p)
		tr.power(x, p) // components add
		c := make([]float32, size-n+1)
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

func TestTransformSize(t *testing.T) {
	for points, want := range map[int]int{1: 4, 5: 8, 28: 32, 2730: 2880, 682: 720, 4096: 4096, 69632: 69984} {
		if got := transformSize(points); got != want {
			t.Errorf("%d points: %d, want %d", points, got, want)
		}
	}
}
