package periodicity

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The components are those of all pairs, whatever the order.
func TestLinkage(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 200 {
		n := 1 + rng.IntN(40)
		x := make([]float64, n)
		for i := range x {
			x[i] = 10 * rng.Float64()
		}
		alike := func(i, j int) bool { return math.Abs(x[i]-x[j]) < 0.5 }
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		for changed := true; changed; {
			changed = false
			for i := range n {
				for j := range n {
					if alike(i, j) && want[j] > want[i] {
						want[j], changed = want[i], true
					}
				}
			}
		}
		if got := linkage(n, alike); !slices.Equal(got, want) {
			t.Fatalf("%v: components %v, want %v", x, got, want)
		}
	}
}

func TestClock(t *testing.T) {
	even := func(n int, length float64) Period {
		p := Period{PeriodSamples: length, PeriodS: length * 0.005}
		for i := range n {
			p.Instances = append(p.Instances, Instance{First: int(float64(i) * length), Length: int(length)})
		}
		return p
	}
	for _, c := range []struct {
		n      int
		length float64
		want   bool
	}{
		{500, 4, true},       // a tick of 4 ms seen every 5 ms
		{50, 100.2, true},    // a timer of half a second
		{50, 200.6, true},    // one of a second and what it does
		{500, 4.05, false},   // drifts through the grid
		{300, 44.84, false},  // a loop
		{30, 44, false},      // a loop that was seen too rarely to tell
		{2000, 2.844, false}, // a short one
	} {
		if got := clock(even(c.n, c.length), 0.005); got != c.want {
			t.Errorf("%d of %g samples: clock %v, want %v", c.n, c.length, got, c.want)
		}
	}
}
