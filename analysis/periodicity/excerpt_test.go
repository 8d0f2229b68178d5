package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// An excerpt is four parts of the profile, spread over it; a shorter profile is used whole.
func TestExcerpt(t *testing.T) {
	const n = 3*excerptPart*excerptParts + 12345
	v := make(series.Values, n)
	for i := range v {
		v[i] = float32(i)
	}
	set := series.Set{StepS: 0.005, StartS: 3, Columns: []series.Column{{Name: "x", Unit: "1", Values: v}}}
	e := excerpt(set, excerptPart)
	if e.Len() != excerptPart*excerptParts || e.StepS != set.StepS || e.StartS != 3 || e.Columns[0].Unit != "1" {
		t.Fatalf("%d samples of %v s", e.Len(), e.StepS)
	}
	for k := range excerptParts {
		part := e.Columns[0].Values[k*excerptPart : (k+1)*excerptPart]
		if middle := (float64(part[0]) + float64(part[excerptPart-1])) / 2 / n; middle < 0.05+0.25*float64(k) || middle > 0.2+
			0.25*float64(k) {
			t.Errorf("the middle of part %d is at %.2f of the profile", k, middle)
		}
		if part[excerptPart-1]-part[0] != excerptPart-1 {
			t.Errorf("part %d is not in one piece", k)
		}
	}
	set.Columns[0].Values = v[:3*excerptPart*excerptParts-1]
	if got := excerpt(set, excerptPart); got.Len() != set.Len() {
		t.Errorf("an excerpt of %d samples of a profile of %d", got.Len(), set.Len())
	}
}

// The column that decides is found in the excerpt, and followed through the whole profile.
func TestDetectLongProfile(t *testing.T) {
	l := newLoop(21)
	s := l.shape(120, 5, 3)
	for len(l.x) < 3*excerptPart*excerptParts {
		l.run(s, 30, 0.004, 1)
		l.other(1500)
	}
	set := l.set(0.05)
	noise := make(series.Values, len(l.x))
	for i := range noise {
		noise[i] = float32(l.rng.NormFloat64())
	}
	set.Columns = append(set.Columns, series.Column{Name: "noise", Unit: "1", Scope: series.JobScope, Values: noise})
	r := detect(t, set)
	if len(r.Periods) == 0 || r.Periods[0].Column != "ipc" {
		t.Fatalf("%d periods, %v", len(r.Periods), r.Notes)
	}
	if same := l.agrees(r.Periods[:1]); same < 0.95 {
		t.Errorf("the truth and what was found agree on %.3f of the samples", same)
	}
}

// A loop of half a minute around one of a quarter of a second is longer than the
// parts of a long profile in which the inner one is found.
func TestOuterLoopOfLongProfile(t *testing.T) {
	const inner, outer = 250, 30_000 // ms
	rng := rand.New(rand.NewPCG(14, 14))
	set, _ := inTurns(6, 1_100_000, 1, func(i int) int {
		switch {
		case i%outer < outer/4 && rng.IntN(6) == 0: // a little other work everywhere
			return 2
		case i%inner < 100:
			return noisy(rng, 0)
		}
		return noisy(rng, 1)
	})
	if set.Len() < 3*excerptPart*excerptParts {
		t.Fatalf("%d samples are no long profile", set.Len())
	}
	r := detect(t, set)
	if len(r.Periods) == 0 || math.Abs(r.Periods[0].PeriodS/0.25-1) > 0.02 {
		t.Fatalf("%d periods, %v", len(r.Periods), r.Notes)
	}
	if len(r.Macros) != 1 || math.Abs(r.Macros[0].PeriodS/30-1) > 0.03 || math.Abs(float64(r.Macros[0].Count)-36) > 2 {
		t.Errorf("outer loops %+v", r.Macros)
	}
}

// No outer loop is reported if nothing surrounds the loop.
func TestNoOuterLoop(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 15))
	set, _ := inTurns(6, 1_000_000, 1, func(i int) int {
		return noisy(rng, map[bool]int{true: 0, false: 1}[i%250 < 100])
	})
	if r := detect(t, set); len(r.Periods) == 0 || len(r.Macros) > 0 {
		t.Errorf("%d periods, outer loops %+v", len(r.Periods), r.Macros)
	}
}
