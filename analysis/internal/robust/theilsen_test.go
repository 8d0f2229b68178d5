package robust

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTheilSenByHand(t *testing.T) {
	// Slopes 1, 2, 1.5 of three points.
	if s, lo, hi := TheilSen([]float64{0, 1, 2}, []float64{0, 1, 3}, 0.95); s != 1.5 || lo != 1 || hi != 2 {
		t.Errorf("%v [%v, %v]", s, lo, hi)
	}
	if s, _, _ := TheilSen([]float64{1, 1}, []float64{0, 5}, 0.95); !math.IsNaN(s) {
		t.Errorf("slope %v at one x", s)
	}
	// One point far off does not move the slope of eleven.
	x, y := make([]float64, 11), make([]float64, 11)
	for i := range x {
		x[i], y[i] = float64(i), 3*float64(i)
	}
	y[4] = 1e6
	if s, _, _ := TheilSen(x, y, 0.95); math.Abs(s-3) > 1e-9 {
		t.Errorf("slope %v", s)
	}
}

func TestNeighbours(t *testing.T) {
	// About the median 3: 0 -2 -1 3 5.
	if r := neighbours([]float64{3, 1, 2, 6, 8}); math.Abs(r-14.0/39) > 1e-12 {
		t.Errorf("%v, want 14/39", r)
	}
	if r := neighbours([]float64{3, 3, 3}); r != 0 {
		t.Errorf("of equal values: %v", r)
	}
}

// The interval holds the truth as often as it says: 95 % of the time within
// what chance allows, for independent and for dependent residuals.
func TestTheilSenInterval(t *testing.T) {
	for _, r := range []float64{0, 0.6} {
		rng := rand.New(rand.NewPCG(1, 1))
		held := 0
		for range 400 {
			x, y := make([]float64, 60), make([]float64, 60)
			e := 0.0
			for i := range x {
				e = r*e + rng.NormFloat64()
				x[i], y[i] = float64(i), 0.1*float64(i)+e
			}
			if _, lo, hi := TheilSen(x, y, 0.95); lo <= 0.1 && 0.1 <= hi {
				held++
			}
		}
		if held < 360 { // 90 %: three standard deviations below 93 %
			t.Errorf("correlation %v: held %d of 400", r, held)
		}
	}
}
