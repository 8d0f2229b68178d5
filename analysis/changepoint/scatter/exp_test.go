package scatter

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestExpOf(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	for k := range 200_000 {
		x := -farAway * farAway / 2 * r.Float64()
		if k%2 == 0 {
			x = 1400*r.Float64() - 700
		}
		if k < 3 {
			x = []float64{0, math.Copysign(0, -1), -farAway * farAway / 2}[k]
		}
		if got, want := expOf(x), math.Exp(x); math.Abs(got/want-1) > 1e-15 {
			t.Fatalf("exp(%g) = %g, want %g", x, got, want)
		}
	}
	if !math.IsNaN(expOf(math.NaN())) {
		t.Error("exp(NaN) is a number")
	}
}

func BenchmarkWeights(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 5))
	x := make([]float64, 60)
	for i := range x {
		x[i] = 0.02 * r.NormFloat64()
	}
	l := RunTimeOutliers().Loss(0.02)
	for b.Loop() {
		l.Descend(x, 0.01)
	}
}
