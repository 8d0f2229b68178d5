package scaling

import (
	"math"
	"testing"
)

func TestCalibrated(t *testing.T) {
	table := calibrated()
	if table[0].n != leastPoints || table[len(table)-1].n != MaxLikelihoodPoints {
		t.Errorf("the table is for %d to %d points", table[0].n, table[len(table)-1].n)
	}
	for i, c := range table {
		if i > 0 && c.n <= table[i-1].n {
			t.Errorf("row %d: %d points after %d", i, c.n, table[i-1].n)
		}
		if c.quiet <= 0 || c.loud <= 0 {
			t.Errorf("%d points: thresholds %g and %g", c.n, c.quiet, c.loud)
		}
	}
	a, b, between := thresholdsAt(32), thresholdsAt(48), thresholdsAt(40)
	if math.Abs(between.loud-(a.loud+b.loud)/2) > 1e-12 || math.Abs(between.quiet-(a.quiet+b.quiet)/2) > 1e-12 {
		t.Errorf("40 points: %v between %v and %v", between, a, b)
	}
}
