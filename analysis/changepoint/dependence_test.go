package changepoint

import (
	"math"
	"testing"
)

func TestInflation(t *testing.T) {
	for _, c := range []struct{ phi, n, want float64 }{
		{0, 10, 1},
		{0.5, 1, 1},
		{0.5, 2, 1.5},                  // 1 + phi
		{0.5, 3, 1 + 2*(2*0.5+0.25)/3}, // 1 + 2 sum (1-k/n) phi^k
		{0.5, 1e9, 3},                  // (1+phi)/(1-phi)
		{0.3, 4, 1 + 2*(0.75*0.3+0.5*0.09+0.25*0.027)},
	} {
		if got := varianceInflation(c.phi, c.n); math.Abs(got-c.want) > 1e-6 {
			t.Errorf("inflation(%g, %g) = %.6f, want %.6f", c.phi, c.n, got, c.want)
		}
	}
}

func TestCorrelationIsRecovered(t *testing.T) {
	for _, phi := range []float64{0, 0.3, 0.6} {
		var a lagOne
		for seed := range uint64(200) { // short pieces, where a fitted mean hides most
			x := raised(drawn(seed, 20, 0.02, phi, nil), 0.7, 9)
			l := usualLoss(0.02)
			a.add(x, l.fitLevel(x, rankedQuartiles(nil, x)).mu, &l)
		}
		got, se := a.correlation()
		if math.Abs(got-phi) > 0.08 || se > 0.05 {
			t.Errorf("correlation %.1f in pieces of 20 with an outlier: %.3f +- %.3f", phi, got, se)
		}
	}
	if phi, se := (&lagOne{}).correlation(); phi != 0 || se != 1 {
		t.Errorf("correlation of nothing: %g +- %g", phi, se)
	}
}

// A step counts for less the more successive runs are correlated.
func TestEvidenceFallsWithCorrelation(t *testing.T) {
	left := func(phi float64) float64 {
		total := 0.0
		for seed := range uint64(20) {
			x := drawn(seed, 60, 0.02, phi, map[int]float64{30: 0.05})
			sc := scanner{history: history{x: x}, p: Default()}
			b := priorNoise(nil, nil)
			c, ok := sc.fitExactSplit(0, 60, 30, b)
			if !ok {
				continue
			}
			m := sc.changeClaim(0, 60, c)
			e, _ := sc.correlatedEvidence(&m, b, math.Inf(-1))
			total += e / c.evidence
		}
		return total / 20
	}
	free, some, much := left(0), left(0.4), left(0.7)
	if !(free > 0.45 && free > some+0.1 && some > much) {
		t.Errorf("share of the evidence that is left: %.2f at 0, %.2f at .4, %.2f at .7", free, some, much)
	}
}

func TestTurnsAgainstOneChange(t *testing.T) {
	step := drawn(1, 60, 0.01, 0, map[int]float64{30: 0.2})
	turns := turning(3, 60, 0.2, 0.2)
	weigh := func(x []float64, k int) float64 {
		sc := scanner{history: history{x: x}, p: Default()}
		c, ok := sc.fitExactSplit(0, 60, k, priorNoise(nil, nil))
		if !ok {
			t.Fatal("the split has too few runs")
		}
		m := sc.changeClaim(0, 60, c)
		return sc.marginOverTurns(&m, math.Inf(-1))
	}
	if e := weigh(step, 30); e < 0 {
		t.Errorf("one change after 30 runs of 60 loses to turns by %.1f nats", -e)
	}
	for k := 10; k < 50; k++ {
		if e := weigh(turns, k); e > 0 {
			t.Fatalf("turns lose to one change at run %d by %.1f nats", k, e)
		}
	}
}
