package changepoint

import (
	"math"
	"testing"
)

// Given that a weak change is detected, its effect is not exaggerated, and its interval contains the true value
// as often as its level says.
func TestEffectsGivenDetection(t *testing.T) {
	t.Parallel()
	found, covered, ratio := 0, 0, 0.0
	const step = 0.028 // strength 5.4 over 30 runs on each side
	for seed := range uint64(160) {
		x := drawn(seed, 60, 0.02, 0, map[int]float64{30: step})
		for _, e := range scan(history{x: x}, Default()).events {
			if e.index < 27 || e.index > 33 {
				continue
			}
			found++
			ratio += e.effect / step
			if e.lo <= step && step <= e.hi {
				covered++
			}
		}
	}
	if found < 60 {
		t.Fatalf("found %d of 160 changes of strength 5.4", found)
	}
	share, mean := float64(covered)/float64(found), ratio/float64(found)
	// The standard error of the share is 0.025, of the mean 0.02.
	if share < 0.88 || math.Abs(mean-1) > 0.1 {
		t.Errorf("%d found: covered %.3f, found/true %.3f", found, share, mean)
	}
}

func TestSelectionShrinksWhatWasJustSeen(t *testing.T) {
	free, bound := selection{}, selection{bar: 4, share: 1}
	if got := free.trueRatio(5, 0.5); math.Abs(got-5) > 0.05 {
		t.Errorf("without selection 5 stays %.2f", got)
	}
	if got := bound.trueRatio(4.2, 0.5); got > 3.6 {
		t.Errorf("just above a bar of 4, 4.2 is made %.2f", got)
	}
	if got := bound.trueRatio(9, 0.5); math.Abs(got-9) > 0.05 {
		t.Errorf("far above a bar of 4, 9 is made %.2f", got)
	}
	if lo, hi := bound.trueRatio(5, 0.975), bound.trueRatio(5, 0.025); !(lo < 3.1 && hi > 5 && hi < 7.2) {
		t.Errorf("interval of 5 above a bar of 4: %.2f to %.2f", lo, hi)
	}
}

// The threshold at detection limits an effect and does not reverse it: earlier, effects got the wrong sign when
// later runs brought the levels closer than the threshold.
func TestEffectKeepsItsSign(t *testing.T) {
	for _, step := range []float64{0.02, -0.02} {
		x := drawn(3, 60, 0.02, 0, map[int]float64{30: step})
		sc := scanner{history: history{x: x}, p: Default()}
		e := event{index: 30, first: 30, last: 30, resumed: 30, bar: 9, info: 15}
		l, r := sc.fitLevel(0, 30), sc.fitLevel(30, 60)
		sc.effect(&e, l, r, newUnseen(1, 60, runCorrelation{}))
		if e.effect*step < 0 || e.lo > e.effect || e.effect > e.hi || e.lo > 0 || e.hi < 0 {
			t.Errorf("step %v: effect %.4f, %.4f to %.4f", step, e.effect, e.lo, e.hi)
		}
	}
}
