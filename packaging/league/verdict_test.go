package main

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestJudge(t *testing.T) {
	truth := []interval{{"step", 1, 1.3}}
	is := func(period, confidence float64, child ...float64) claim { return claim{period, confidence, child} }
	for _, c := range []struct {
		name   string
		answer answer
		want   judgement
	}{
		{"silent", answer{}, judgement{"nothing", false}},
		{"below what is told", answer{Patterns: []claim{is(1, .39)}}, judgement{"nothing", false}},
		{"the median", answer{Patterns: []claim{is(1.05, .5)}}, judgement{"right", false}},
		{"the mean, sure", answer{Patterns: []claim{is(1.25, .6)}}, judgement{"right", true}},
		{"the second", answer{Patterns: []claim{is(.03, .9), is(1, .4)}}, judgement{"right", true}},
		{"the third does not count", answer{Patterns: []claim{is(.03, .7), is(.031, .7), is(1, .9)}}, judgement{"wrong", false}},
		{"within the pattern", answer{Patterns: []claim{is(37, .7, 1.01, 9)}}, judgement{"right", true}},
		{"the second within it does not count", answer{Patterns: []claim{is(37, .7, 9, 1.01)}}, judgement{"wrong", false}},
		{"above a sure one", answer{Patterns: []claim{is(.03, .6)}, Macro: []float64{1}}, judgement{"right", true}},
		{"above an unsure one", answer{Patterns: []claim{is(.03, .59)}, Macro: []float64{1}}, judgement{"nothing", false}},
		{"triple", answer{Patterns: []claim{is(3.02, .79)}}, judgement{"multiple", false}},
		{"half of the mean", answer{Patterns: []claim{is(.65, .41)}}, judgement{"multiple", false}},
		{"triple, told loud", answer{Patterns: []claim{is(3.02, .8)}}, judgement{"loud", false}},
		{"elsewhere, loud", answer{Patterns: []claim{is(.03, .8)}}, judgement{"loud", false}},
		{"elsewhere, likely", answer{Patterns: []claim{is(.03, .6)}}, judgement{"wrong", false}},
		{"elsewhere, perhaps", answer{Patterns: []claim{is(.03, .59)}}, judgement{"nothing", false}},
	} {
		if got := judge(c.answer, truth); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
	if got := judge(answer{Patterns: []claim{is(1, .9)}}, nil); got.verdict != "loud" {
		t.Errorf("a control with a claim of .9: %v", got)
	}
}

// Lines of a log that are written together have one time, and count in the mean only.
func TestIntervals(t *testing.T) {
	levels := []level{{"step", nil, 1}, {"part", nil, 10}, {"rare", nil, 1}}
	m := marks{"step": {1, 2, 2, 4, 7, 11}, "part": {0, 10, 20, 30, 40}, "rare": {1, 2, 3, 4}}
	want := []interval{{"step", 2.5, 2}, {"part", 1, 1}}
	if got := intervals(m, levels); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// What a verdict says does not depend on the unit of time.
func TestJudgeKnowsNoUnit(t *testing.T) {
	draw := rand.New(rand.NewPCG(4, 4))
	for range 2000 {
		period, median, scale := draw.ExpFloat64(), draw.ExpFloat64(), 1+99*draw.Float64()
		confidence := draw.Float64()
		one := judge(answer{Patterns: []claim{{period, confidence, nil}}}, []interval{{"", median, median * 1.2}})
		other := judge(answer{Patterns: []claim{{period * scale, confidence, nil}}}, []interval{{"", median * scale, median * scale * 1.2}})
		if one != other {
			t.Fatalf("%g of %g: %v, and %v in another unit", period, median, one, other)
		}
	}
}

func TestParseReport(t *testing.T) {
	got, err := parseReport([]byte(`{"rhythm":{"patterns":[{"period_s":{"value":0.25},"confidence":0.9,
		"child":[{"period_s":0.05}]}],"macro":[{"period_s":2.5}]},"nodes":{"busy_cpus_median":0.97},"quality":{"address_hz":400}}`))
	if err != nil || len(got.Patterns) != 1 || got.Patterns[0].PeriodS != .25 || got.Patterns[0].Confidence != .9 ||
		!slices.Equal(got.Patterns[0].Child, []float64{.05}) || !slices.Equal(got.Macro, []float64{2.5}) || got.CPUs != .97 || got.Hz != 400 {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzParseReport(f *testing.F) {
	f.Add([]byte(`{"rhythm":{"patterns":[{"period_s":{"value":null},"confidence":0.9,"child":[]}],"macro":[]},"nodes":{},"quality":{}}`))
	f.Add([]byte(`{"rhythm":{"patterns":null}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := parseReport(text)
		if err == nil && judge(a, []interval{{"step", 1, 1}}).verdict == "" {
			t.Errorf("no verdict for %+v", a)
		}
	})
}
