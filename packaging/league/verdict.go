package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// A claim's confidence from which it is told, told without "perhaps", and told
// without "likely".
const (
	told  = .4
	sure  = .6
	plain = .8
)

// answer is what jobgait tells of a run: patterns, best first.
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

// claims are the two patterns that count: the first two that are told.
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

// judgement is what a run's answer is worth: right, multiple, wrong, loud (wrong
// or a multiple, and told with .8) or nothing.
type judgement struct {
	verdict string
	sure    bool // right, and told with .6
}

// judge holds an answer against the log. The first two patterns count, the
// first period within each, and the cycle above the first if that is sure.
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
