package robust

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The exact values are counts of orders: 2/70 for four above four, 2/252 for
// five above five, and 2*(1+1)/70 where one neighbouring pair is exchanged.
func TestRankSum(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []float64
		want float64
	}{
		{"apart 4+4", []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}, 2.0 / 70},
		{"apart 5+5", []float64{1, 2, 3, 4, 5}, []float64{6, 7, 8, 9, 10}, 2.0 / 252},
		{"one exchanged", []float64{1, 2, 3, 5}, []float64{4, 6, 7, 8}, 4.0 / 70},
		{"same middle", []float64{1, 4}, []float64{2, 3}, 1},
		{"all equal", []float64{1, 1, 1}, []float64{1, 1, 1}, 1},
	} {
		if got := RankSum(c.a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: p = %v, want %v", c.name, got, c.want)
		}
		if got := RankSum(c.b, c.a); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s, exchanged: p = %v, want %v", c.name, got, c.want)
		}
	}
	if !math.IsNaN(RankSum(nil, []float64{1})) {
		t.Error("an empty sample has no p")
	}
}

// The normal approximation must agree with the exact count where one replaces the other.
func TestRankSumApproximation(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	for range 20 {
		a, b := make([]float64, 25), make([]float64, 25)
		for i := range a {
			a[i], b[i] = r.NormFloat64(), r.NormFloat64()+.5
		}
		exact := RankSum(a, b)
		u, _ := rankStatistic(a, b)
		sd := math.Sqrt(625.0 / 12 * 51)
		approx := math.Erfc(math.Max(math.Abs(u-312.5)-.5, 0) / sd / math.Sqrt2)
		if math.Abs(exact-approx) > .005 {
			t.Errorf("exact %v, normal %v", exact, approx)
		}
	}
}

// The interval contains the true shift as often as its level says.
func TestShiftCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	for _, n := range []int{6, 40} {
		const draws = 2000
		held := 0
		for range draws {
			a, b := make([]float64, n), make([]float64, n)
			for i := range a {
				a[i], b[i] = r.NormFloat64(), r.NormFloat64()+2
			}
			_, lo, hi, ok := Shift(a, b, .95)
			if !ok {
				t.Fatalf("%d values each are enough for .95", n)
			}
			if lo <= 2 && 2 <= hi {
				held++
			}
		}
		if c := float64(held) / draws; c < .935 || c > .975 {
			t.Errorf("%d values each: coverage %.3f", n, c)
		}
	}
	if _, _, _, ok := Shift([]float64{1, 2, 3}, []float64{4, 5, 6}, .95); ok {
		t.Error("three values each allow no interval at .95")
	}
}
