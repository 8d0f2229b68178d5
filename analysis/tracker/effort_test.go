package tracker_test

import (
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
	"jobgait/analysis/tracker"
)

// counted returns samples of a CPU at 1000 Hz, busy where the argument says so.
func counted(r *rand.Rand, n int, busy func(i int) bool) (x []float32) {
	for i := range n {
		v := 0.0
		if busy(i) {
			v = max(0, 5+r.NormFloat64()) / 5
		}
		x = append(x, float32(v))
	}
	return x
}

// A program that works for a twentieth of each cycle and then spins, alone or sharing the CPU with others, ends
// no more cycles. A program that continues does, and so does one whose cycles become half as long again.
func TestSpinningEndsNoCycle(t *testing.T) {
	loop := func(i int) bool { return i%40 < 2 }
	for _, c := range []struct {
		name string
		then func(r *rand.Rand) func(i int) bool
		ends bool
	}{
		{"goes on", func(*rand.Rand) func(int) bool { return loop }, true},
		{"takes longer", func(*rand.Rand) func(int) bool { return func(i int) bool { return i%40 < 3 } }, true},
		{"spins", func(*rand.Rand) func(int) bool { return func(int) bool { return true } }, false},
		{"spins in turns of 20 ms", func(r *rand.Rand) func(int) bool {
			on, left := true, 0
			return func(int) bool {
				if left--; left < 0 {
					on, left = !on, 1+r.IntN(6)
				}
				return on
			}
		}, false},
		{"spins on a fourth of a CPU", func(r *rand.Rand) func(int) bool {
			return func(int) bool { return r.IntN(4) == 0 }
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for seed := range uint64(20) {
				r := rand.New(rand.NewPCG(seed, 7))
				x := append(counted(r, 6000, loop), counted(r, 6000, c.then(r))...)
				p := tracker.NewLoopTracker([]series.Column{{Name: "busy_cpus", Scope: series.JobScope}}, stepS)
				before, after := 0, 0
				for i, v := range x {
					if _, ok := p.Add([]float32{v}); ok && i < 6000 {
						before++
					} else if ok && i >= 6000+8*40 { // what is usual was learned in eight cycles
						after++
					}
					if p.Due() && i < 6000 {
						p.FollowDetected(p.NextRequest().Detect())
					}
				}
				if before < 40 {
					t.Fatalf("seed %d: %d cycles before", seed, before)
				}
				if c.ends && after < 100 || !c.ends && after > 0 {
					t.Errorf("seed %d: %d cycles after", seed, after)
				}
			}
		})
	}
}
