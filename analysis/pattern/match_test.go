package pattern

import (
	"math"
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

// The search that skips rotations finds the same rotation and correlation, to the last bit, as one that tries all.
func TestBestCorrelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	shape := func(kind int) cycle {
		v := make(series.Values, 50+rng.IntN(300))
		for i := range v {
			switch at := float64(i) / float64(len(v)); kind {
			case 0:
				v[i] = float32(rng.NormFloat64())
			case 1:
				v[i] = float32(math.Sin(2*math.Pi*at) + 0.1*rng.NormFloat64())
			case 2:
				v[i] = float32(math.Sin(8 * math.Pi * at)) // four rotations are equally good
			default:
				v[i] = float32(math.Exp(-1000 * (at - 0.3) * (at - 0.3)))
			}
		}
		c, ok := newCycle(v)
		if !ok {
			t.Fatalf("kind %d: the shape is flat", kind)
		}
		return c
	}
	for trial := range 200 {
		c, d := shape(trial%4), shape(trial/4%4)
		want, at := -1.0, 0
		for s := range cyclePoints {
			dot := 0.0
			for i, v := range c {
				dot += v * d[(i+s)%cyclePoints]
			}
			if dot > want {
				want, at = dot, s
			}
		}
		if r, shift := c.bestCorrelation(d); r != want || shift != float64(at)/cyclePoints {
			t.Errorf("trial %d: %v at %v, want %v at %v", trial, r, shift, want, float64(at)/cyclePoints)
		}
	}
}
