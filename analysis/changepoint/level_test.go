package changepoint

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/changepoint/scatter"
	"jobgait/analysis/internal/robust"
)

// usualLoss is the loss at noise s with the usual outliers.
func usualLoss(s float64) loss { return loss{scatter.RunTimeOutliers().Loss(s)} }

func TestFitIgnoresOutliers(t *testing.T) {
	for _, n := range []int{5, 8, 30} {
		x := drawn(uint64(n), n, 0.01, 0, nil)
		l := usualLoss(0.01)
		clean := l.fitLevel(x, rankedQuartiles(nil, x))
		dirty := raised(x, 0.8, 0, n/2)
		got := l.fitLevel(dirty, rankedQuartiles(nil, dirty))
		if math.Abs(got.mu-clean.mu) > 0.02 || math.Abs(clean.weight-2-got.weight) > 0.7 {
			t.Errorf("%d runs, two of them outliers: level %.4f of weight %.1f, without %.4f of %.1f", n, got.mu, got.weight,
				clean.mu, clean.weight)
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
	if s := scatter.NoiseOfSteps(nil, x); math.Abs(s-0.02) > 0.003 {
		t.Errorf("noise of 0.02 with two steps: %.4f", s)
	}
	if s := scatter.NoiseOfSteps(nil, x[:2]); s != 0 {
		t.Errorf("noise of two runs: %g", s)
	}
}

func TestWidestCutsBetweenLevels(t *testing.T) {
	x := []float64{1, 1.1, 1.2, 5, 5.1}
	slices.Sort(x)
	if k := bestCut(x); k != 3 {
		t.Errorf("cut after %d, want 3", k)
	}
}

// Levels start from the ranks of sorted values.
func TestRanks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for n := 1; n < 80; n++ {
		x := make([]float64, n)
		for i := range x {
			x[i] = float64(r.IntN(3*n)) / 7
		}
		sorted := slices.Sorted(slices.Values(x))
		got := rankedQuartiles(nil, x)
		if robust.SortedMedian(got) != robust.SortedMedian(sorted) || got[n/4] != sorted[n/4] ||
			n <= robust.FewToSort && !slices.Equal(got, sorted) {
			t.Fatalf("%v: ranked %v", x, got)
		}
	}
}
