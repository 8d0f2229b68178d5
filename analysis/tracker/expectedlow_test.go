package tracker_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
	"jobgait/analysis/tracker"
)

// dips draws a loop of n cycles. If dip is true for a cycle, its activity is low from .3 of the cycle on for a
// fifth of it. Each cycle has a separate mark at its end.
func dips(r *rand.Rand, n, length int, noise float64, dip func(cycle int) bool) (x []float32, begins []float64) {
	for c := range n {
		m := int(math.Round(float64(length) * (1 + 0.01*r.NormFloat64())))
		begins = append(begins, float64(len(x))+0.3*float64(m))
		for i := range m {
			v := 1.2
			switch at := float64(i) / float64(m); {
			case at >= 0.3 && at < 0.5 && dip(c):
				v = 0.3
			case at >= 0.8:
				v = 2.5
			}
			x = append(x, float32(v+noise*r.NormFloat64()))
		}
	}
	return x, begins
}

// pursued feeds samples to a tracker and calls a function after each.
func pursued(x []float32, look func(p *tracker.LoopTracker, at int)) {
	p := tracker.NewLoopTracker([]series.Column{{Name: "ipc", Scope: series.JobScope}}, stepS)
	for i, v := range x {
		p.Add([]float32{v})
		if p.Due() {
			p.FollowDetected(p.NextRequest().Detect())
		}
		look(p, i)
	}
}

// nearest is how far a moment is from the next beginning, in samples.
func nearest(begins []float64, at float64) float64 {
	best := math.Inf(1)
	for _, b := range begins {
		best = min(best, math.Abs(b-at))
	}
	return best
}

// A low stretch is predicted before it begins and recognized afterwards, in clean and in noisy signals, in
// short cycles and in long ones.
func TestLowStretchesAreForeseen(t *testing.T) {
	for _, c := range []struct {
		name   string
		length int
		noise  float64
	}{
		{"short", 40, 0.05}, {"middling", 220, 0.05}, {"noisy", 220, 0.3}, {"long", 900, 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, begins := dips(rand.New(rand.NewPCG(1, 2)), max(25, 8000/c.length), c.length, c.noise, func(int) bool {
				return true
			})
			var told, came []float64
			last := 0.0
			pursued(x, func(p *tracker.LoopTracker, at int) {
				b, held := p.CurrentLoop()
				if !held || at < len(x)*2/3 {
					return
				}
				for _, l := range p.Low() {
					if off := nearest(begins, (b.LastS+l.OffsetS)/stepS) / float64(c.length); off < 0.5 {
						told = append(told, off)
					}
					if l.LastS != last && l.LastS == l.LastS {
						last = l.LastS
						came = append(came, nearest(begins, last/stepS)/float64(c.length))
					}
					if d := l.DurationS / (0.2 * float64(c.length) * stepS); d < 0.8 || d > 1.2 || l.Repeatability < 0.8 {
						t.Fatalf("at %d: %+v", at, l)
					}
				}
			})
			if len(told) < len(x)/4 || median(told) > 0.03 {
				t.Errorf("reported at %d of %d samples, %.3f periods off", len(told), len(x)/3, median(told))
			}
			if len(came) < 5 || median(came) > 0.03 {
				t.Errorf("recognised %d times, %.3f periods off", len(came), median(came))
			}
		})
	}
}

// A low stretch that no longer occurs is soon no longer predicted, although the loop continues.
func TestALowStretchThatStaysAwayIsForgotten(t *testing.T) {
	x, _ := dips(rand.New(rand.NewPCG(3, 4)), 120, 220, 0.05, func(cycle int) bool { return cycle < 40 })
	before, after, held := 0, 0, false
	pursued(x, func(p *tracker.LoopTracker, at int) {
		switch n := len(p.Low()); {
		case at > len(x)/4 && at < len(x)/3:
			before = max(before, n)
		case at > len(x)*9/10:
			after = max(after, n)
			_, held = p.CurrentLoop()
		}
	})
	if before != 1 || after != 0 || !held {
		t.Errorf("%d stretches before, %d after, held %v", before, after, held)
	}
}

// A loop without a low stretch predicts none.
func TestNoLowStretchIsMadeUp(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, wave := range []func(phase float64) float64{
		func(u float64) float64 { return 100 + math.Sin(2*math.Pi*u) },     // 1 % of its level
		func(u float64) float64 { return 1 + 0.2*float64(int(5*u))*(1-u) }, // stairs
	} {
		x := make([]float32, 10000)
		for i := range x {
			x[i] = float32(wave(math.Mod(float64(i)/220, 1)) + 0.05*r.NormFloat64())
		}
		pursued(x, func(p *tracker.LoopTracker, at int) {
			if l := p.Low(); len(l) > 0 {
				t.Fatalf("at %d: %+v", at, l)
			}
		})
	}
}
