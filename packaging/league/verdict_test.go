package league

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Confidences from which a claim is reported, reported without "perhaps", and reported without "likely".
const (
	told  = .4
	sure  = .6
	plain = .8
)

// answer is what jobgait reports on a run: patterns, best first.
type answer struct {
	Patterns []claim   `json:"patterns"`
	Macro    []float64 `json:"macro,omitempty"` // periods of cycles that hold several iterations
	CPUs     float64   `json:"cpus"`            // that the application got
	Hz       float64   `json:"address_hz"`
}

// claim is one pattern: a period, or the length of a cycle that varies.
type claim struct {
	PeriodS    float64   `json:"period_s"`
	Confidence float64   `json:"confidence"`
	Child      []float64 `json:"child,omitempty"` // periods within it
}

// parseReport takes what is judged from the JSON of a report.
func parseReport(text []byte) (answer, error) {
	type period struct {
		PeriodS float64 `json:"period_s"`
	}
	var r struct {
		Rhythm struct {
			Patterns []struct {
				PeriodS    struct{ Value float64 } `json:"period_s"`
				Confidence float64                 `json:"confidence"`
				Child      []period                `json:"child"`
			} `json:"patterns"`
			Macro []period `json:"macro"`
		} `json:"rhythm"`
		Nodes struct {
			Busy float64 `json:"busy_cpus_median"`
		} `json:"nodes"`
		Quality struct {
			Hz float64 `json:"address_hz"`
		} `json:"quality"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return answer{}, fmt.Errorf("report: %w", err)
	}
	periods := func(list []period) (values []float64) {
		for _, p := range list {
			values = append(values, p.PeriodS)
		}
		return values
	}
	a := answer{Macro: periods(r.Rhythm.Macro), CPUs: r.Nodes.Busy, Hz: r.Quality.Hz}
	for _, p := range r.Rhythm.Patterns {
		a.Patterns = append(a.Patterns, claim{p.PeriodS.Value, p.Confidence, periods(p.Child)})
	}
	return a, nil
}

// claims returns the two patterns that count: the first two that are reported.
func (a answer) claims() []claim {
	var list []claim
	for _, c := range a.Patterns {
		if c.Confidence >= told && len(list) < 2 {
			list = append(list, c)
		}
	}
	return list
}

// interval is how long one time of a level takes by the log. A region of varying
// cycles has two honest lengths.
type interval struct {
	level        string
	median, mean float64
}

// intervals are those of an application's levels that have four at least.
func intervals(m marks, levels []level) []interval {
	var list []interval
	for _, l := range levels {
		var gaps []float64
		at := m[l.name]
		for i := 1; i < len(at); i++ {
			if at[i] > at[i-1] {
				gaps = append(gaps, (at[i]-at[i-1])/l.per)
			}
		}
		if len(gaps) < 4 {
			continue
		}
		slices.Sort(gaps)
		median := (gaps[(len(gaps)-1)/2] + gaps[len(gaps)/2]) / 2
		list = append(list, interval{l.name, median, (at[len(at)-1] - at[0]) / float64(len(at)-1) / l.per})
	}
	return list
}

// near is whether a period is that of a level, within 8 percent.
func near(period float64, truth []interval) bool {
	return slices.ContainsFunc(truth, func(t interval) bool {
		return math.Abs(period/t.median-1) <= .08 || math.Abs(period/t.mean-1) <= .08
	})
}

// multiple is whether a period is 2 to 8 times that of a level, or such a part
// of it, within 6 percent.
func multiple(period float64, truth []interval) bool {
	for m := 2.; m <= 8; m++ {
		for _, t := range truth {
			for _, v := range []float64{t.median, t.mean} {
				if math.Abs(period/v/m-1) <= .06 || math.Abs(period*m/v-1) <= .06 {
					return true
				}
			}
		}
	}
	return false
}

// judgement is the verdict on a run: right, multiple, wrong, loud (wrong or a multiple with a confidence of .8
// or more) or nothing.
type judgement struct {
	verdict string
	sure    bool // right, with a confidence of .6 or more
}

// judge compares an answer with the log. The first two patterns count, the first period within each, and the
// cycle above the first if its confidence is high.
func judge(a answer, truth []interval) judgement {
	claims := a.claims()
	if len(claims) == 0 {
		return judgement{verdict: "nothing"}
	}
	top, periods := 0., []float64{}
	for _, c := range claims {
		top = max(top, c.Confidence)
		periods = append(append(periods, c.PeriodS), c.Child[:min(1, len(c.Child))]...)
	}
	if claims[0].Confidence >= sure {
		periods = append(periods, a.Macro[:min(1, len(a.Macro))]...)
	}
	isNear := func(p float64) bool { return near(p, truth) }
	isMultiple := func(c claim) bool { return multiple(c.PeriodS, truth) }
	switch {
	case slices.ContainsFunc(periods, isNear):
		return judgement{"right", top >= sure}
	case slices.ContainsFunc(claims, isMultiple) && claims[0].Confidence < plain:
		return judgement{verdict: "multiple"}
	case slices.ContainsFunc(claims, isMultiple), top >= plain:
		return judgement{verdict: "loud"}
	case top >= sure:
		return judgement{verdict: "wrong"}
	}
	return judgement{verdict: "nothing"}
}

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
		{"the third does not count", answer{Patterns: []claim{is(.03, .7), is(.031, .7), is(1, .9)}},
			judgement{"wrong", false}},
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

// A verdict does not depend on the unit of time.
func TestJudgeKnowsNoUnit(t *testing.T) {
	draw := rand.New(rand.NewPCG(4, 4))
	for range 2000 {
		period, median, scale := draw.ExpFloat64(), draw.ExpFloat64(), 1+99*draw.Float64()
		confidence := draw.Float64()
		one := judge(answer{Patterns: []claim{{period, confidence, nil}}}, []interval{{"", median, median * 1.2}})
		other := judge(answer{Patterns: []claim{{period * scale, confidence, nil}}},
			[]interval{{"", median * scale, median * scale * 1.2}})
		if one != other {
			t.Fatalf("%g of %g: %v, and %v in another unit", period, median, one, other)
		}
	}
}

func TestParseReport(t *testing.T) {
	got, err := parseReport([]byte(`{"rhythm":{"patterns":[{"period_s":{"value":0.25},"confidence":0.9,
		"child":[{"period_s":0.05}]}],"macro":[{"period_s":2.5}]},"nodes":{"busy_cpus_median":0.97},` +
		`"quality":{"address_hz":400}}`))
	if err != nil || len(got.Patterns) != 1 || got.Patterns[0].PeriodS != .25 || got.Patterns[0].Confidence != .9 ||
		!slices.Equal(got.Patterns[0].Child, []float64{.05}) || !slices.Equal(got.Macro, []float64{2.5}) || got.CPUs != .97 ||
		got.Hz != 400 {
		t.Errorf("%+v, %v", got, err)
	}
}

func FuzzParseReport(f *testing.F) {
	f.Add([]byte(`{"rhythm":{"patterns":[{"period_s":{"value":null},"confidence":0.9,"child":[]}],"macro":[]},` +
		`"nodes":{},"quality":{}}`))
	f.Add([]byte(`{"rhythm":{"patterns":null}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := parseReport(text)
		if err == nil && judge(a, []interval{{"step", 1, 1}}).verdict == "" {
			t.Errorf("no verdict for %+v", a)
		}
	})
}
