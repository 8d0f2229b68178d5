package scaling

import (
	"math"
	"testing"
)

// The tables are within 0.05, or 0.2 %, of what they tabulate.
func TestScoreTable(t *testing.T) {
	p := newPrior()
	for _, free := range []int{1, 3, 8, 40} {
		for x := -25.0; x < 5; x += 0.37 {
			s := math.Exp(x)
			want := logEvidence(p.sigma, p.weight, s, free)
			if got := p.score(s, free+2, 2, 0); math.Abs(got-want) > math.Max(0.05, 0.002*math.Abs(want)) {
				t.Errorf("%d free points, residual %.3g: %.4f, want %.4f", free, s, got, want)
			}
		}
		if zero, tiny := p.score(0, free+2, 2, 0), p.score(1e-20, free+2, 2, 0); math.Abs(zero-tiny) > 1e-3 {
			t.Errorf("%d free points: %g for no residual, %g for next to none", free, zero, tiny)
		}
	}
}

// The noise of repetitions is a lower bound: a better fit than that gains nothing.
func TestScoreWithin(t *testing.T) {
	p := newPrior()
	p.setLeastVariance(0.05 * 0.05)
	better, good := p.score(10*1e-6, 10, 2, 0), p.score(10*1e-4, 10, 2, 0)
	if better-good > 3 {
		t.Errorf("residuals of 0.1 %% gain %.2f over 1 %% under noise of 5 %%", better-good)
	}
	p.setLeastVariance(0)
	if gain := p.score(10*1e-6, 10, 2, 0) - p.score(10*1e-4, 10, 2, 0); gain < 5 {
		t.Errorf("residuals of 0.1 %% gain %.2f over 1 %% where nothing is known", gain)
	}
}
