package pattern

import (
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

func TestInPhase(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	ref := plateaus(rng, 180)
	for _, at := range []int{0, 1, 57, 179} {
		moved := append(append(series.Values{}, ref[at:]...), ref[:at]...)
		for i := range moved {
			moved[i] = 3*moved[i] + 7 // level and scale do not matter
		}
		got := AlignPhase(moved, ref)
		far := 0
		for i := range ref {
			if d := (got[i]-7)/3 - ref[i]; d > 0.02 || d < -0.02 {
				far++
			}
		}
		if far > 40 { // beside edges, where it is a point off
			t.Errorf("moved by %d: %d of 180 points differ", at, far)
		}
	}
	if got := AlignPhase(nil, ref); len(got) != 0 {
		t.Error("a phase of nothing")
	}
}
