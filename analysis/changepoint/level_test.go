package changepoint

import (
	"math"
	"slices"
	"testing"

	"jobgait/analysis/changepoint/scatter"
)

func TestLossIsBoundedAndZeroAtTheLevel(t *testing.T) {
	l := newLoss(0.02, Default())
	if c := l.cost(0); math.Abs(c) > 1e-12 {
		t.Errorf("cost at the level is %g", c)
	}
	if up, down := l.cost(5), l.cost(-5); math.Abs(up-5.7) > 0.1 || math.Abs(down-7.5) > 0.1 {
		t.Errorf("an outlier at s = 0.02 costs %.2f up and %.2f down, want 5.7 and 7.5", up, down)
	}
	last := 0.0
	for r := 0.0; r < 0.3; r += 0.001 {
		c, w := l.cost(r), l.weight(r)
		if c < last-1e-12 || w < 0 || w > 1 {
			t.Fatalf("at residual %.3f: cost %g after %g, weight %g", r, c, last, w)
		}
		last = c
	}
}

func TestTotalIsTheSumOfCosts(t *testing.T) {
	l := newLoss(0.01, Default())
	x := raised(drawn(1, 200, 0.02, 0, nil), 3, 5, 6, 100)
	want := 0.0
	for _, v := range x {
		want += l.cost(v - math.Log(100))
	}
	if got := l.total(x, math.Log(100)); math.Abs(got-want) > 1e-9*want {
		t.Errorf("total %.12g, sum of costs %.12g", got, want)
	}
}

func TestFitIgnoresOutliers(t *testing.T) {
	for _, n := range []int{5, 8, 30} {
		x := drawn(uint64(n), n, 0.01, 0, nil)
		l := newLoss(0.01, Default())
		clean := l.fit(x, ranked(nil, x))
		dirty := raised(x, 0.8, 0, n/2)
		got := l.fit(dirty, ranked(nil, dirty))
		if math.Abs(got.mu-clean.mu) > 0.02 || math.Abs(clean.weight-2-got.weight) > 0.7 {
			t.Errorf("%d runs, two of them outliers: level %.4f of weight %.1f, without %.4f of %.1f", n, got.mu, got.weight, clean.mu, clean.weight)
		}
	}
}

func TestSplitScaleLeavesOutItsOwnZeros(t *testing.T) {
	x := []float64{1, 2, 3, 11, 12, 13}
	if got := splitScale(nil, x, 3, 2, 12); math.Abs(got-1.4826) > 1e-9 {
		t.Errorf("scale %g, want 1.4826: the two medians themselves are no residuals", got)
	}
}

func TestDifferenceScaleDoesNotSeeSteps(t *testing.T) {
	x := drawn(2, 400, 0.02, 0, map[int]float64{100: 1, 300: -2})
	if s := scatter.OfSteps(nil, x); math.Abs(s-0.02) > 0.003 {
		t.Errorf("noise of 0.02 with two steps: %.4f", s)
	}
	if s := scatter.OfSteps(nil, x[:2]); s != 0 {
		t.Errorf("noise of two runs: %g", s)
	}
}

func TestWidestCutsBetweenLevels(t *testing.T) {
	x := []float64{1, 1.1, 1.2, 5, 5.1}
	slices.Sort(x)
	if k := widest(x); k != 3 {
		t.Errorf("cut after %d, want 3", k)
	}
}
