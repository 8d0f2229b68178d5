package robust

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The statistic of this sample, men's weights, is in the literature.
func TestNormality(t *testing.T) {
	k, p, ok := Normality([]float64{148, 154, 158, 160, 161, 162, 166, 170, 182, 195, 236})
	if !ok || math.Abs(k-13.034263121192582) > 1e-9 || math.Abs(p-math.Exp(-k/2)) > 1e-15 {
		t.Errorf("%g %g %v", k, p, ok)
	}
	for name, x := range map[string][]float64{"few": {1, 2, 3, 4, 5, 6, 7}, "equal": {3, 3, 3, 3, 3, 3, 3, 3},
		"none": nil} {
		if _, _, ok := Normality(x); ok {
			t.Errorf("%s: there is no statistic", name)
		}
	}
}

// Of normal samples 5 % are rejected at 5 %, of lognormal ones all.
func TestNormalityLevel(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	const rounds, n = 2000, 60
	normal, skewed := 0, 0
	for range rounds {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = 100 + 3*r.NormFloat64()
			y[i] = math.Exp(r.NormFloat64())
		}
		if _, p, _ := Normality(x); p < .05 {
			normal++
		}
		if _, p, _ := Normality(y); p < .05 {
			skewed++
		}
	}
	if got := float64(normal) / rounds; got < .03 || got > .08 {
		t.Errorf("%.3f of normal samples rejected", got)
	}
	if skewed < rounds*95/100 {
		t.Errorf("%d of %d lognormal samples rejected", skewed, rounds)
	}
}
