package robust

import (
	"math"
	"testing"
)

func TestQuantile(t *testing.T) {
	x := []float64{4, 1, math.NaN(), 3, 2}
	for _, c := range []struct{ q, want float64 }{{0, 1}, {0.5, 2.5}, {1, 4}, {0.25, 1.75}} {
		if got := Quantile(x, c.q); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Quantile(%v) = %v, want %v", c.q, got, c.want)
		}
	}
	if x[0] != 4 {
		t.Error("the input was reordered")
	}
	if !math.IsNaN(Median(nil)) {
		t.Error("the median of nothing must be NaN")
	}
}

func TestMAD(t *testing.T) {
	if got := MAD([]float64{1, 2, 3, 4, 1000}); math.Abs(got-1.4826) > 1e-9 {
		t.Errorf("MAD = %v: one outlier must not move it", got)
	}
}

// Figures by hand: n = 4, mean 2.5, s.d. 1.29099, t(3, 0.975) = 3.18245.
func TestMeanInterval(t *testing.T) {
	m, lo, hi := MeanInterval([]float64{1, 2, 3, 4}, 0.95)
	if m != 2.5 || math.Abs(hi-4.554260) > 1e-5 || math.Abs(lo-0.445740) > 1e-5 {
		t.Errorf("MeanInterval = %v [%v, %v]", m, lo, hi)
	}
	if _, lo, hi := MeanInterval([]float64{7}, 0.95); lo != 7 || hi != 7 {
		t.Errorf("one value: [%v, %v]", lo, hi)
	}
}
