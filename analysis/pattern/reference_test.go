package pattern

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/note"
	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// plateaus is a random shape of n points.
func plateaus(rng *rand.Rand, n int) series.Values {
	v := make(series.Values, n)
	level := rng.Float64()
	for i := range v {
		if rng.IntN(n/6+1) == 0 {
			level = rng.Float64()
		}
		v[i] = float32(level)
	}
	v[0] += 0.8 // no shape is flat
	return v
}

// seen returns the pattern that a detector finds of a loop: num/den of its period, with any phase, and noise.
func seen(rng *rand.Rand, id, column string, shape series.Values, periodS float64, num, den int,
	noise float64) Pattern {
	n := max(8, len(shape)*num/den)
	v := make(series.Values, n)
	at := rng.Float64()
	for i := range v {
		v[i] = float32(cyclic(shape, at+float64(i)/float64(n)*float64(num)/float64(den)) + noise*rng.NormFloat64())
	}
	p := periodS * float64(num) / float64(den)
	return Pattern{ID: id, Column: column, ValuesColumn: column,
		Timing: periodicity.Timing{PeriodS: p, PeriodLoS: p * 0.999, PeriodHiS: p * 1.001, Confidence: 0.8, Coverage: 0.8},
		Values: v}
}

// repeat is one noisy run of an application: its loop of 1.1 s, seen as it is or
// as a multiple, among patterns that tempt: other loops at simple ratios in the
// same column, the solver's iterations, and the same and other periods in other
// columns, in any order.
func repeat(rng *rand.Rand, main, solver, other series.Values) (patterns []Pattern, step float64) {
	step = 1.1 * (1 + 0.012*rng.NormFloat64())
	fold := []int{1, 1, 1, 1, 1, 2, 2, 3, 4}[rng.IntN(9)]
	patterns = append(patterns, seen(rng, "A", "ipc", main, step, fold, 1, 0.1))
	for _, ratio := range [][2]int{{1, 2}, {2, 1}, {1, 1}, {1, 3}, {3, 2}} {
		if rng.IntN(2) == 0 {
			patterns = append(patterns, seen(rng, "T", "ipc", other,
				step*float64(ratio[0])/float64(ratio[1])*(1+0.02*rng.NormFloat64()), 1, 1, 0.1))
		}
		if rng.IntN(2) == 0 {
			patterns = append(patterns, seen(rng, "C", "page_faults", other, step*float64(ratio[0])/float64(ratio[1]), 1, 1,
				0.1))
		}
	}
	patterns = append(patterns, seen(rng, "S", "ipc", solver, step/16, 1, 1, 0.1))
	rng.Shuffle(len(patterns), func(i, j int) { patterns[i], patterns[j] = patterns[j], patterns[i] })
	return patterns, step
}

// 200 noisy repeats of five applications each: no step_s is a harmonic of the
// truth, and nearly all are found.
func TestNoHarmonicFlips(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for app := range 5 {
		n := 40 + 60*app
		main, solver, other := plateaus(rng, n), plateaus(rng, max(8, n/16)), plateaus(rng, n)
		ref := NewReference(seen(rng, "A", "ipc", main, 1.1, 1, 1, 0.05))
		found := 0
		for range 200 {
			patterns, want := repeat(rng, main, solver, other)
			s, ok, notes := ref.Step(patterns)
			if !ok {
				if len(notes) != 1 || notes[0].Code != note.PatternChanged {
					t.Fatalf("no step and notes %v", notes)
				}
				continue
			}
			found++
			if math.Abs(s.StepS/want-1) > 0.05 {
				t.Errorf("application %d: step %v (%d/%d of %s, alike %.2f), true %v", app, s.StepS, s.Num, s.Den, s.Pattern,
					s.Alike, want)
			}
		}
		if found < 190 {
			t.Errorf("application %d: found in %d of 200", app, found)
		}
	}
}

// The match does not depend on the unit of time, and a note on a missing match names the number of patterns.
func TestMatchHasNoScale(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	main, solver, other := plateaus(rng, 100), plateaus(rng, 8), plateaus(rng, 100)
	for range 100 {
		ref := NewReference(seen(rng, "A", "ipc", main, 1.1, 1, 1, 0.05))
		patterns, _ := repeat(rng, main, solver, other)
		want, ok, notes := ref.Step(patterns)
		for _, scale := range []float64{0.01, 100} {
			far := ref
			far.PeriodS *= scale
			scaled := slices.Clone(patterns)
			for i := range scaled {
				scaled[i].PeriodS *= scale
				scaled[i].PeriodLoS *= scale
				scaled[i].PeriodHiS *= scale
			}
			got, gotOK, _ := far.Step(scaled)
			if gotOK != ok || got.Pattern != want.Pattern || got.Num != want.Num || got.Den != want.Den {
				t.Fatalf("%v times: %+v %v, want %+v %v; %v", scale, got, gotOK, want, ok, notes)
			}
		}
	}
	ref := NewReference(seen(rng, "A", "ipc", main, 1.1, 1, 1, 0.05))
	gone := seen(rng, "B", "disk", other, 7, 1, 1, 0.05)
	for i, want := range []string{
		"the run has no pattern, so no step_s (time of one cycle)",
		"the run has no step_s (time of one cycle): its pattern of 7 s is not the loop of 1.1 s of earlier runs",
		"the run has no step_s (time of one cycle): none of its 2 patterns (the first 7 s) is the loop of 1.1 s of earlier " +
			"runs",
	} {
		if _, ok, notes := ref.Step([]Pattern{gone, gone}[:i]); ok || len(notes) != 1 || notes[0].Text != want {
			t.Errorf("%d patterns: %v %v", i, ok, notes)
		}
	}
}

// The half of a loop of two like halves is a fraction, not a change.
func TestFraction(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 1))
	half := plateaus(rng, 60)
	pair := append(append(series.Values{}, half...), half...)
	for i := range 8 {
		pair[80+i] *= 0.8
	}
	ref := NewReference(seen(rng, "A", "ipc", pair, 2, 1, 1, 0.02))
	s, ok, _ := ref.Step([]Pattern{seen(rng, "A", "ipc", half, 1, 1, 1, 0.02)})
	if !ok || s.Num != 2 || s.Den != 1 || math.Abs(s.StepS-2) > 1e-9 {
		t.Errorf("%+v %v", s, ok)
	}
}

// Real changes are detected: the same shape at another speed, by any factor; another loop gives no number.
func TestRealChanges(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 1))
	for k := range 40 {
		main := plateaus(rng, 100)
		ref := NewReference(seen(rng, "A", "ipc", main, 1.1, 1, 1, 0.05))
		for _, factor := range []float64{0.5, 0.8, 1.07, 1.3, 2, 3} {
			s, ok, _ := ref.Step([]Pattern{seen(rng, "A", "ipc", main, 1.1*factor, 1, 1, 0.05)})
			if !ok || math.Abs(s.StepS/(1.1*factor)-1) > 1e-9 {
				t.Errorf("shape %d, %v times: %+v %v", k, factor, s, ok)
			}
		}
	}
	ref := NewReference(seen(rng, "A", "ipc", plateaus(rng, 100), 1.1, 1, 1, 0.05))
	other := seen(rng, "A", "ipc", plateaus(rng, 100), 1.4, 1, 1, 0.05)
	if s, ok, _ := ref.Step([]Pattern{other}); ok {
		t.Errorf("another loop: %+v", s)
	}
	if _, ok, notes := ref.Step(nil); ok || len(notes) != 1 {
		t.Error("a step of no pattern")
	}
	flat := Pattern{Column: "ipc", ValuesColumn: "ipc", Timing: periodicity.Timing{PeriodS: 1.1},
		Values: make(series.Values, 9)}
	if _, ok, _ := ref.Step([]Pattern{flat, {}}); ok {
		t.Error("a flat shape matches")
	}
}

func TestStepAcross(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 1))
	main := plateaus(rng, 100)
	ref := NewReference(seen(rng, "A", "ipc", main, 1.1, 1, 1, 0.05))
	patterns := []Pattern{seen(rng, "A", "ipc", plateaus(rng, 80), 0.9, 1, 1, 0.05),
		seen(rng, "B", "ipc", main, 0.31, 1, 1, 0.05)}
	if s, ok, _ := ref.StepAcross(patterns); !ok || s.Pattern != "B" || s.StepS != 0.31 {
		t.Errorf("%+v %v", s, ok)
	}
	if s, ok, _ := ref.StepAcross(patterns[:1]); !ok || s.Pattern != "A" || s.Alike != 0 {
		t.Errorf("the only main loop: %+v %v", s, ok)
	}
	patterns[1].Column = "other"
	if _, ok, notes := ref.StepAcross(patterns); ok || len(notes) != 1 {
		t.Error("one of two unlike loops was taken")
	}
}

func FuzzStep(f *testing.F) {
	f.Add([]byte{1, 200, 3}, []byte{9, 9, 200, 1}, 1.0, 2.0)
	f.Fuzz(func(t *testing.T, a, b []byte, pa, pb float64) {
		shape := func(x []byte) series.Values {
			v := make(series.Values, min(len(x), 300))
			for i := range v {
				v[i] = float32(x[i])
			}
			return v
		}
		r := Reference{Column: "c", ValuesColumn: "c", PeriodS: pa, Values: shape(a)}
		s, ok, notes := r.Step([]Pattern{{Column: "c", ValuesColumn: "c", Timing: periodicity.Timing{PeriodS: pb},
			Values: shape(b)}})
		if ok != (len(notes) == 0) || ok && !(s.StepS > 0 && s.Alike >= 0.7 && s.StepS/pa < 5) {
			t.Fatalf("%+v %v %v", s, ok, notes)
		}
	})
}

// After a new build pages have other keys: the same shape at another speed is the
// same loop, but no multiple of it is.
func TestStepOfANewBuild(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	shape := plateaus(rng, 100)
	ref := NewReference(seen(rng, "A", "code", shape, 1, 1, 1, 0.05))
	p := seen(rng, "A", "code", shape, 1.3, 1, 1, 0.05)
	p.ValuesColumn = "code:new"
	if s, ok, _ := ref.Step([]Pattern{p}); !ok || s.StepS != 1.3 {
		t.Errorf("%+v %v", s, ok)
	}
	p = seen(rng, "A", "code", shape, 1.3, 2, 1, 0.05)
	p.ValuesColumn = "code:new"
	if s, ok, _ := ref.Step([]Pattern{p}); ok {
		t.Errorf("a multiple in another page: %+v", s)
	}
}
