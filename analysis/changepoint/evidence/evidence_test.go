package evidence

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/changepoint"
)

func noise(r *rand.Rand, n int, level, sd float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = level + sd*r.NormFloat64()
	}
	return x
}

// times are those of logarithms x.
func times(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = math.Exp(v)
	}
	return y
}

// The evidence is largest where the level changes, also with an outlier beside it.
func TestSplitsPeak(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		x := append(noise(r, 24, 0, .02), noise(r, 16, .1, .02)...)
		if round%2 == 1 {
			x[5] = 1.5
		}
		s := Splits(times(x))
		best := 0
		for i, v := range s {
			if v > s[best] || math.IsNaN(s[best]) {
				best = i
			}
		}
		if best < 23 || best > 25 || s[best] < Threshold(len(x), .005) {
			t.Errorf("round %d: %d with %g", round, best, s[best])
		}
		if !math.IsNaN(s[0]) || !math.IsNaN(s[1]) || !math.IsNaN(s[39]) {
			t.Error("a half of one value has no spread")
		}
	}
}

// Without a change hardly any curve exceeds the threshold: it is a bound for
// the largest of dependent tests.
func TestThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	over := 0
	for range 400 {
		x := noise(r, 30, 0, .02)
		if slices.ContainsFunc(Splits(times(x)), func(v float64) bool { return v > Threshold(30, .05) }) {
			over++
		}
	}
	if over > 30 {
		t.Errorf("%d of 400 curves without a change exceed the level of 5 %%", over)
	}
	for _, x := range [][]float64{nil, {1}, {1, 1, 1, 1, 1}, {0, 0, 0, 5, 5, 5}} {
		for _, v := range Splits(times(x)) {
			if v < 0 || v > maxEvidence {
				t.Errorf("%v: %g", x, v)
			}
		}
	}
}

func TestResiduals(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	y := make([]float64, 100)
	for i := range y {
		level := 1.0
		if i >= 60 {
			level = 3
		}
		y[i] = level * math.Exp(.02*r.NormFloat64())
	}
	y[10], y[20], y[30] = math.NaN(), 50, 0
	got := Residuals(y, []changepoint.Regime{{First: 0, Last: 59}, {First: 60, Last: 96}, {First: 97, Last: 99}},
		[]int{20})
	if len(got) != 94 || !slices.IsSorted(got) || got[0] < -4 || got[93] > 4 {
		t.Errorf("%d: %v", len(got), got)
	}
	if p, ok := Normality(got); !ok || p < .01 {
		t.Errorf("p = %g %v", p, ok)
	}
	if _, ok := Normality(got[:10]); ok {
		t.Error("ten values tell nothing")
	}
	q := Normal(94)
	if math.Abs(q[0]+q[93]) > 1e-12 || !slices.IsSorted(q) {
		t.Errorf("%v", q)
	}
}
