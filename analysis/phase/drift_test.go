package phase

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/periodicity"
)

// iterations returns a period whose instance i has length(i) samples of 5 ms,
// one after the other.
func iterations(n int, length func(i int) float64) periodicity.Period {
	p := periodicity.Period{}
	at := 0
	for i := range n {
		l := int(math.Round(length(i)))
		p.Instances = append(p.Instances, periodicity.Instance{First: at, Length: l})
		at += l
	}
	p.PeriodSamples = float64(at) / float64(n)
	p.PeriodS = p.PeriodSamples * 0.005
	return p
}

func TestDriftOfASlope(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	// 0.02 samples longer with each iteration of 220 to 240: in one hour of
	// 3600 / 1.15 s iterations, 27 % of the mean.
	p := iterations(1000, func(i int) float64 { return 220 + 0.02*float64(i) + rng.NormFloat64() })
	d := DriftOf(p, 0, 0.005)
	want := 100 * 0.02 * (3600 / (p.PeriodS)) / p.PeriodSamples
	if !(d.Lo < want && want < d.Hi) || math.Abs(d.SlopePctPerHour/want-1) > 0.1 || d.Hi-d.Lo > want/2 {
		t.Errorf("slope %v [%v, %v], want %v", d.SlopePctPerHour, d.Lo, d.Hi, want)
	}
	if len(d.Steps) != 0 {
		t.Errorf("a slope is a staircase: %+v", d.Steps)
	}
}

func TestDriftOfAStep(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	p := iterations(600, func(i int) float64 {
		l := 200 + 2*rng.NormFloat64()
		if i >= 200 && i < 350 {
			l *= 1.3
		}
		if i%97 == 50 {
			l += 100 // single slow ones are no steps
		}
		return l
	})
	d := DriftOf(p, 10, 0.005)
	if len(d.Steps) != 2 {
		t.Fatalf("steps: %+v", d.Steps)
	}
	for i, want := range []struct{ iteration, effect float64 }{{200, 30}, {350, -23}} {
		at := 10 + float64(p.Instances[int(want.iteration)].First)*0.005
		if s := d.Steps[i]; math.Abs(s.TS-at) > 2.5 || math.Abs(s.EffectPct-want.effect) > 1.5 {
			t.Errorf("step %d: %+v, want %v at %v", i, s, want.effect, at)
		}
	}
	if d.SlowCount != 6 || d.Slow[0].ExcessS < 0.4 {
		t.Errorf("%d slow: %+v", d.SlowCount, d.Slow)
	}
	for _, s := range d.Slow {
		in := p.Instances[s.Iteration]
		if s.Iteration%97 != 50 || math.Abs(s.StartS-10-0.005*float64(in.First)) > 1e-9 ||
			math.Abs(s.LengthS-0.005*float64(in.Length)) > 1e-9 {
			t.Errorf("slow: %+v", s)
		}
	}
}

// A staircase, here the second stair of what is left after a larger one: each is
// found where it is.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	x := make([]float64, 400)
	for i := range x {
		x[i] = 1 + 0.002*rng.NormFloat64()
		switch {
		case i >= 370:
			x[i] += 0.11
		case i >= 150:
			x[i] += 0.08
		}
	}
	got := steps(x, 1e-4)
	if len(got) != 2 || got[0].Iteration != 150 || got[1].Iteration != 370 {
		t.Errorf("%+v", got)
	}
}

// The noise of independent lengths is their variance, that of correlated ones is larger, and that of equal
// lengths is the rounding.
func TestNoiseOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	even, wander := make([]float64, 4096), make([]float64, 4096)
	for i := range even {
		even[i] = 1 + 0.01*rng.NormFloat64()
		wander[i] = even[i]
		if i > 0 {
			wander[i] = 1 + 0.9*(wander[i-1]-1) + 0.01*rng.NormFloat64()
		}
	}
	if v := noiseOf(even, 0); math.Abs(v/1e-4-1) > 0.15 {
		t.Errorf("independent: %v, want 1e-4", v)
	}
	if v := noiseOf(wander, 0); v < 5e-4 {
		t.Errorf("wandering: %v", v)
	}
	if v := noiseOf([]float64{1, 1, 1}, 0.06); math.Abs(v-0.0006) > 1e-9 {
		t.Errorf("equal: %v", v)
	}
}

// Constant lengths with independent or correlated noise have no step, and slopes whose interval excludes zero
// are rare.
func TestDriftOfNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	wrongSteps, wrongSlopes := 0, 0
	const runs = 200
	for k := range runs {
		wander := 0.0
		r := 0.7 * float64(k%2)
		p := iterations(300, func(int) float64 {
			wander = r*wander + 3*rng.NormFloat64()
			return 220 + wander
		})
		d := DriftOf(p, 0, 0.005)
		if len(d.Steps) > 0 {
			wrongSteps++
		}
		if d.Lo > 0 || d.Hi < 0 {
			wrongSlopes++
		}
	}
	if wrongSteps > 4 || wrongSlopes > 20 {
		t.Errorf("of %d: steps in %d, slopes in %d", runs, wrongSteps, wrongSlopes)
	}
}

func TestDriftOfLittle(t *testing.T) {
	for n := range 12 {
		d := DriftOf(iterations(n, func(int) float64 { return 100 }), 0, 0.005)
		if known := !math.IsNaN(d.SlopePctPerHour); known != (n >= minDrift) {
			t.Errorf("%d iterations: slope %v", n, d.SlopePctPerHour)
		}
		if n >= minDrift && !(d.Lo < 0 && d.Hi > 0) {
			t.Errorf("equal lengths: [%v, %v] is narrower than the grid", d.Lo, d.Hi)
		}
		if len(d.Slow) > 0 || len(d.Steps) > 0 {
			t.Errorf("%+v", d)
		}
	}
}

// TestDriftByMeasuredLengths has cycles of four samples that become a tenth of a sample longer half way, and four that
// take a third of a sample more: whole samples show neither.
func TestDriftByMeasuredLengths(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	p := iterations(400, func(int) float64 { return 4 })
	p.LengthErrorS = .00005
	for i := range p.Instances {
		length := .02 + .00005*rng.NormFloat64()
		if i >= 200 {
			length += .0005
		}
		if i%100 == 50 {
			length += .0017
		}
		p.LengthsS = append(p.LengthsS, length)
	}
	d := DriftOf(p, 0, .005)
	if len(d.Steps) != 1 || d.Steps[0].Iteration != 200 || math.Abs(d.Steps[0].EffectPct-2.5) > .5 || d.SlowCount != 4 {
		t.Errorf("steps %+v, %d slow cycles, want a step of 2.5 %% at 200 and 4 slow ones", d.Steps, d.SlowCount)
	}
}
