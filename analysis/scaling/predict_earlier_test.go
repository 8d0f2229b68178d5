package scaling

import (
	"math"
	"testing"
)

// A size below a change is predicted with the law from before the change, and one between two laws gets an
// interval that contains both.
func TestPredictionsBeforeAChange(t *testing.T) {
	step := func(p float64) float64 {
		if p > 20 {
			return 3 * (10 + p)
		}
		return 10 + p
	}
	s := runsOf([]float64{2, 6, 10, 14, 20, 24, 30, 36, 40}, 3, step)
	s.Targets = []float64{2, 4, 10, 12, 22, 33}
	result := Analyse([]Series{s}, Likelihood)[0]
	sound(t, result)
	if len(result.Cuts) != 1 || result.Cuts[0] != 5 {
		t.Fatalf("cuts %v, want 5", result.Cuts)
	}
	for _, p := range result.Predictions {
		if p.Extrapolated {
			continue
		}
		if p.P == 22 {
			if p.Lo > 32*1.05 || p.Hi < 96*.95 {
				t.Errorf("%+v, want 32 and 96 inside", p)
			}
			continue
		}
		want := step(p.P)
		if off := math.Abs(p.Value/want - 1); off > 0.05 || p.Lo > want || p.Hi < want || p.Hi-p.Lo > want {
			t.Errorf("%+v, want %g", p, want)
		}
	}
}
