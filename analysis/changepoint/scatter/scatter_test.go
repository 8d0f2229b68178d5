package scatter

import (
	"math/rand/v2"
	"testing"
)

// The differences of successive runs give the noise whether or not the level changed. A changed level is
// detected where it changed; runs of one level give one level.
func TestOneLevelOrTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 3))
	two := 0
	for range 200 {
		x := make([]float64, 60)
		for i := range x {
			x[i] = .02 * r.NormFloat64()
		}
		if RunsBeforeStep(nil, x) > 0 {
			two++
		}
		for i := 40; i < 60; i++ {
			x[i] += .1
		}
		if s := NoiseOfSteps(nil, x); s < .008 || s > .036 {
			t.Errorf("noise %v", s)
		}
		if k := RunsBeforeStep(nil, x); k < 38 || k > 42 {
			t.Errorf("a level from run 40 on begins at %d", k)
		}
	}
	if two > 4 {
		t.Errorf("%d of 200 levels are two", two)
	}
	if s := NoiseOfSteps(nil, []float64{1, 2}); s != 0 {
		t.Errorf("two runs have noise %v", s)
	}
}
