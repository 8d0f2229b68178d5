package periodicity

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/series"
)

// faintCode draws code of two pages whose shares follow a loop of 40 slots with the given strength, beside noise
// of the samples, in one stretch of the run.
func faintCode(r *rand.Rand, strength float64) series.Set {
	const slots = 900
	a, b, busy := make(series.Values, slots), make(series.Values, slots), make(series.Values, slots)
	for i := range slots {
		share := .5
		if i > 150 && i < 600 {
			share += strength * math.Sin(2*math.Pi*float64(i)/40)
		}
		for range 5 {
			if r.Float64() < share {
				a[i]++
			} else {
				b[i]++
			}
		}
		busy[i] = 1
	}
	column := func(name, unit, group string, v series.Values) series.Column {
		return series.Column{Name: name, Unit: unit, Scope: series.JobScope, Group: group, Values: v}
	}
	return series.Set{StepS: .005, Columns: []series.Column{column("busy_cpus", "CPUs", "", busy),
		column("code:a", countUnit, series.CodeGroup, a), column(series.OtherCode, countUnit, series.CodeGroup, b)}}
}

// TestUnsurePeriodsOfCodeAreNotReported checks that no period of a profile with code is reported with a confidence
// below the least, among loops so faint that some of what the search finds has less.
func TestUnsurePeriodsOfCodeAreNotReported(t *testing.T) {
	dropped, reported := 0, 0
	for seed := range uint64(14) {
		set := faintCode(rand.New(rand.NewPCG(seed, 40)), .1+.2*float64(seed)/14)
		for _, p := range detectScope(set, sources(set, series.JobScope, Default()), Default()).periods {
			if p.Confidence < LeastConfidenceOfSampledCode {
				dropped++
			}
		}
		found, err := Detect(set, Default())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range found.Periods {
			if reported++; p.Confidence < LeastConfidenceOfSampledCode {
				t.Errorf("draw %d: %.3g s reported with %.2f", seed, p.PeriodS, p.Confidence)
			}
		}
	}
	if dropped == 0 || reported == 0 {
		t.Errorf("%d unsure periods, %d reported: the draws test nothing", dropped, reported)
	}
	t.Logf("%d unsure periods of 14 draws dropped, %d reported", dropped, reported)
}
