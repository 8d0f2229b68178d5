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

// Descend and Total, which take pieces of runs at once, return to the last bit what Weight and Cost of each run give.
func TestPiecesAreExact(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 6))
	for k := range 400 {
		l := RunTimeOutliers().Loss(.001 + .05*r.Float64())
		x := make([]float64, r.IntN(3*pieceRuns))
		for i := range x {
			x[i] = 5 + l.Scale*r.NormFloat64()
			if r.IntN(10) == 0 {
				x[i] += 2 * r.Float64()
			}
		}
		mu := 5 + .01*r.NormFloat64()
		if len(x) > 0 && k%3 == 0 {
			mu = x[0]
		}
		wantMu, wantWeight := descendOneByOne(&l, x, mu)
		if to, weight := l.Descend(x, mu); to != wantMu || weight != wantWeight {
			t.Errorf("%d runs: level %v with weight %v, want %v with %v", len(x), to, weight, wantMu, wantWeight)
		}
		if got, want := l.Total(x, mu), totalOneByOne(&l, x, mu); got != want {
			t.Errorf("%d runs: total %v, want %v", len(x), got, want)
		}
	}
}

func descendOneByOne(l *Loss, x []float64, mu float64) (to, weight float64) {
	for range 12 {
		sw, s := 0.0, 0.0
		for _, v := range x {
			w := l.Weight(v - mu)
			sw, s = sw+w, s+w*v
		}
		last := mu
		if weight = sw; sw < 1e-6 {
			break
		}
		if mu = s / sw; math.Abs(mu-last) < 1e-3*l.Scale {
			break
		}
	}
	return mu, weight
}

func totalOneByOne(l *Loss, x []float64, mu float64) float64 {
	sum, product, n := 0.0, 1.0, 0
	for _, v := range x {
		r := v - mu
		z := r / l.Scale
		if math.Abs(z) > farAway {
			sum += l.Cost(r)
			continue
		}
		if r > 0 {
			sum += l.zeroUp
		} else {
			sum += l.zeroDown
		}
		product *= expOf(-z*z/2) + l.Floor(r)
		if n++; n == 16 {
			sum -= math.Log(product)
			product, n = 1, 0
		}
	}
	return sum - math.Log(product)
}
