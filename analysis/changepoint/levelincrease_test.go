package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestRaised(t *testing.T) {
	const n = 400
	level := func(k int, rise float64) (told int) {
		for seed := range uint64(n) {
			r := rand.New(rand.NewPCG(seed, 4))
			y := make([]float64, 13)
			for i := range y {
				y[i] = 10 + .1*r.NormFloat64()
				if i >= len(y)-k {
					y[i] += rise
				}
			}
			if runs, pct := NewestLevelIncrease(y); runs > 0 {
				told++
				if pct <= 0 {
					t.Fatalf("%d runs raised by %v %%", runs, pct)
				}
			}
		}
		return told
	}
	if got := level(3, 1.5); got < n-2 {
		t.Errorf("three runs at 11.5 after ten at 10 +- .1: reported %d of %d", got, n)
	}
	if got := level(3, 0); got > 4 {
		t.Errorf("nothing raised: reported %d of %d", got, n)
	}
	if got := level(3, -1.5); got > 0 {
		t.Errorf("three runs at 8.5: reported %d of %d", got, n)
	}
}

func TestRaisedSeenBefore(t *testing.T) {
	quiet := []float64{10, 10.1, 9.9, 10, 10.1, 9.9, 10, 10.1, 9.9, 10}
	up := []float64{12, 12, 12.1}
	for name, c := range map[string]struct {
		y    []float64
		runs int
	}{
		"empty":      {nil, 0},
		"short":      {slices.Concat(quiet[:3], up), 0},
		"raised":     {slices.Concat(quiet, up), 3},
		"all equal":  {slices.Repeat([]float64{5}, 20), 0},
		"came, went": {slices.Concat(quiet, up, quiet, up), 0},
		"zero":       {slices.Concat(slices.Repeat([]float64{0}, 9), up), 0},
	} {
		if got, _ := NewestLevelIncrease(c.y); got != c.runs {
			t.Errorf("%s: %d runs, want %d", name, got, c.runs)
		}
	}
}

// TestRaisedCountsRunsOfTheNewLevel has twelve runs at 100, one of them the last at 108, and three at 150: three runs
// are raised and not four.
func TestRaisedCountsRunsOfTheNewLevel(t *testing.T) {
	y := []float64{100.9, 98.4, 99.7, 101.3, 100.2, 98.9, 101.1, 99.3, 100.6, 99.1, 100.4, 100.0, 108, 149.1, 151.2, 150.3}
	runs, pct := NewestLevelIncrease(y)
	if runs != 3 || math.Abs(pct-50.2) > 0.5 {
		t.Errorf("%d runs by %.1f %%, want 3 by 50.2", runs, pct)
	}
}
