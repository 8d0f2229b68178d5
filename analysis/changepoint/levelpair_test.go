package changepoint

import (
	"math/rand/v2"
	"testing"
)

// Outliers that agree by chance are not a second level; a level that returns is one.
func TestLevelsAreNotOutliers(t *testing.T) {
	const draws, runs = 60, 20
	four, five, half := 0, 0, 0
	for seed := range uint64(draws) {
		r := rand.New(rand.NewPCG(seed, 12))
		history := func(off int, spread float64) []float64 {
			x := make([]float64, runs)
			for i := range x {
				x[i] = 4 + .01*r.NormFloat64()
			}
			for _, i := range r.Perm(runs)[:off] {
				x[i] += .3 * (1 + spread*r.NormFloat64())
			}
			return x
		}
		count := func(n *int, x []float64) {
			if takesTurns(x, Default()) {
				*n++
			}
		}
		count(&four, history(4, 0))
		count(&five, history(5, .15))
		count(&half, history(10, 0))
	}
	if four > 0 || five > 26 || half < draws-2 {
		t.Errorf("of %d histories take turns: with four outliers %d, with five that agree loosely %d, with two levels %d",
			draws, four, five, half)
	}
}
