package changepoint

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/changepoint/scatter"
)

// The loss of a chain is that of all ways through its states, and stays a number
// where every run is an outlier of both.
func TestChain(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 200 {
		n := 1 + r.IntN(9)
		like := make([]float64, 2*n)
		for i := range like {
			like[i] = math.Exp(-10 * r.Float64())
		}
		u, v := .05+.9*r.Float64(), .05+.9*r.Float64()
		sum := 0.0
		for way := range 1 << n {
			p := v / (u + v)
			if way&1 == 1 {
				p = 1 - p
			}
			for k := range n {
				state := way >> k & 1
				p *= like[2*k+state]
				if k+1 < n {
					leave := []float64{u, v}[state]
					if way>>(k+1)&1 == state {
						leave = 1 - leave
					}
					p *= leave
				}
			}
			sum += p
		}
		if got := chain(like, u, v); math.Abs(got+math.Log(sum)) > 1e-12*math.Abs(got)+1e-12 {
			t.Fatalf("%d runs, u %g, v %g: %.17g, all ways %.17g", n, u, v, got, -math.Log(sum))
		}
	}
	l := usualLoss(scatter.Least)
	far := make([]float64, 2*5000)
	for i := range far {
		far[i] = l.Likelihood(-1)
	}
	if got, want := chain(far, .1, .7), 5000*l.Cost(-1); math.Abs(got/want-1) > 1e-9 {
		t.Errorf("outliers of both: %g, want %g", got, want)
	}
}

func TestLikelihood(t *testing.T) {
	l := usualLoss(.02)
	for _, z := range []float64{-40, -8.1, -7.9, -3, -.1, 0, .1, 1, 7.9, 8.1, 40} {
		r := z * l.Scale
		if got, want := l.Likelihood(r), math.Exp(-l.Cost(r)); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("%g noises off: %g, want %g", z, got, want)
		}
	}
}

// BenchmarkTurning is the online history that costs most: two levels that stay
// with .8 are never one, and seldom told apart.
func BenchmarkTurning(b *testing.B) {
	const histories = 10
	for b.Loop() {
		for seed := range uint64(histories) {
			scan(history{x: turning(seed, 100, 0.2, 0.2)}, Default())
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e3/histories/float64(b.N), "ms/100runs")
}
