package scaling

import (
	"math"
	"testing"
)

func TestCalibrated(t *testing.T) {
	table := calibrated()
	if table[0].n != leastPoints || table[len(table)-1].n != Default().MaxPoints {
		t.Errorf("the table is for %d to %d points", table[0].n, table[len(table)-1].n)
	}
	for i, c := range table {
		if i > 0 && c.n <= table[i-1].n {
			t.Errorf("row %d: %d points after %d", i, c.n, table[i-1].n)
		}
		if c.quiet <= 0 || c.loud <= 0 {
			t.Errorf("%d points: thresholds %g and %g", c.n, c.quiet, c.loud)
		}
		for k, v := range c.share {
			if v < 0 || v > 0.01 {
				t.Errorf("%d points, level %d: a share of %g false changes", c.n, k, v)
			}
		}
	}
	a, b, between := threshold(32), threshold(48), threshold(40)
	if math.Abs(between.loud-(a.loud+b.loud)/2) > 1e-12 || math.Abs(between.quiet-(a.quiet+b.quiet)/2) > 1e-12 {
		t.Errorf("40 points: %v between %v and %v", between, a, b)
	}
}

func TestExpectedByChance(t *testing.T) {
	strength := 0.0
	result := func(n int, smape float64) Result {
		return Result{N: n, ChangeStrength: &strength, Whole: &Model{SMAPE: smape, Terms: []Term{{}}}}
	}
	if got := ExpectedByChance([]Result{{N: 10}, result(10, 0)}); got > 0.001 {
		t.Errorf("no verdict and no noise: %g expected", got)
	}
	// Residuals of 6.7 % on average are uniform noise of 15 % or more.
	row, _, _ := neighbours(10)
	if got := ExpectedByChance([]Result{result(10, 6.8), result(10, 9)}); math.Abs(got-2*row.share[5]) > 1e-12 {
		t.Errorf("%g expected of two noisy series, want %g", got, 2*row.share[5])
	}
	quiet, loud := ExpectedByChance([]Result{result(10, 1)}), ExpectedByChance([]Result{result(10, 5)})
	if quiet >= loud {
		t.Errorf("%g expected where quiet, %g where loud", quiet, loud)
	}
}
