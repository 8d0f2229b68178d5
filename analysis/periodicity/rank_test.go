package periodicity

import (
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// fitAt follows a loop of a given lag through a profile of one column.
func fitAt(t *testing.T, set series.Set, lag float64) (*searcher, *pyramid, fit) {
	t.Helper()
	proj, ok := newProjection(source{name: "ipc", cols: set.Columns})
	if !ok {
		t.Fatal("the column is flat")
	}
	h := &searcher{par: Default(), stretch: stretchOf(series.Wall)}
	n := set.Len()
	p := h.levels.over(proj.apply(vector{}, 0, n))
	x, ok := h.fitLag(p, lag, 0, n, 0, n)
	if !ok {
		t.Fatalf("no fit at a lag of %g samples", lag)
	}
	return h, p, x
}

// Equal cycles whose lengths vary resemble the next one more than the one after it: a fit of
// two of them is divided. It was in 83 of these 96 draws before the correlation was used.
func TestFundamentalOfEqualCycles(t *testing.T) {
	right := 0
	for _, jitter := range []float64{0.04, 0.06, 0.08, 0.1} {
		for _, noise := range []float64{0.2, 0.4, 0.6} {
			for seed := range uint64(8) {
				l := newLoop(seed)
				l.run(l.shape(40, 3, 2), 120, jitter, 1)
				h, p, x := fitAt(t, l.set(noise), 80)
				if near(h.fundamental(p, x).lag, 40, 0.06) {
					right++
				}
			}
		}
	}
	if right < 90 {
		t.Errorf("%d of 96 draws are divided, want 90", right)
	}
}

// Cycles that differ in turn are one period together.
func TestFundamentalOfDifferentCycles(t *testing.T) {
	for seed := range uint64(5) {
		l := newLoop(seed)
		shape := l.shape(40, 3, 2)
		other := make([]float64, len(shape))
		for i, y := range shape {
			other[i] = 0.3 * y
		}
		for range 60 {
			l.run(shape, 1, 0.04, 1)
			l.run(other, 1, 0.04, 1)
		}
		h, p, x := fitAt(t, l.set(0.15), 80)
		if y := h.fundamental(p, x); !near(y.lag, 80, 0.06) {
			t.Errorf("seed %d: %.1f samples, want 80", seed, y.lag)
		}
	}
}

// The correlation at a fraction shows that a fit is a multiple only if it has a peak there: a slow wave
// resembles itself at every short lag.
func TestRepeatsAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	l := newLoop(3)
	l.run(l.shape(40, 3, 2), 120, 0.04, 1)
	slow := &loop{rng: rng}
	for i := range 4800 {
		slow.x = append(slow.x, float32(i%80)/80)
	}
	for _, c := range []struct {
		name string
		set  series.Set
		want bool
	}{{"two equal cycles", l.set(0.1), true}, {"a slow wave", slow.set(0.05), false}} {
		h, p, x := fitAt(t, c.set, 80)
		if got := h.selfSimilarity(p, x).repeatsAtFraction(2); got != c.want {
			t.Errorf("%s: repeats at a half %v, want %v", c.name, got, c.want)
		}
	}
}
