package scatter

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLossIsBoundedAndZeroAtTheLevel(t *testing.T) {
	l := RunTimeOutliers().Loss(0.02)
	if c := l.Cost(0); math.Abs(c) > 1e-12 {
		t.Errorf("cost at the level is %g", c)
	}
	if up, down := l.Cost(5), l.Cost(-5); math.Abs(up-5.7) > 0.1 || math.Abs(down-7.5) > 0.1 {
		t.Errorf("an outlier at s = 0.02 costs %.2f up and %.2f down, want 5.7 and 7.5", up, down)
	}
	last := 0.0
	for r := 0.0; r < 0.3; r += 0.001 {
		c, w := l.Cost(r), l.Weight(r)
		if c < last-1e-12 || w < 0 || w > 1 {
			t.Fatalf("at residual %.3f: cost %g after %g, weight %g", r, c, last, w)
		}
		last = c
	}
}

func TestTotalIsTheSumOfCosts(t *testing.T) {
	l := RunTimeOutliers().Loss(0.01)
	r := rand.New(rand.NewPCG(1, 3))
	x := make([]float64, 200)
	for i := range x {
		x[i] = math.Log(100) + 0.02*r.NormFloat64()
	}
	for _, i := range []int{5, 6, 100} {
		x[i] += 3
	}
	want := 0.0
	for _, v := range x {
		want += l.Cost(v - math.Log(100))
	}
	if got := l.Total(x, math.Log(100)); math.Abs(got-want) > 1e-9*want {
		t.Errorf("total %.12g, sum of costs %.12g", got, want)
	}
}
