package periodicity

import (
	"math"
	"testing"

	"jobgait/analysis/series"
)

// Input without information gives notes, no periods and no panic.
func TestDetectDegenerate(t *testing.T) {
	fill := func(at func(i int) float32) series.Values {
		v := make(series.Values, 400)
		for i := range v {
			v[i] = at(i)
		}
		return v
	}
	nan, inf := series.Missing(), float32(math.Inf(1))
	for name, v := range map[string]series.Values{
		"nothing":  {},
		"one":      {1},
		"missing":  fill(func(int) float32 { return nan }),
		"infinite": fill(func(i int) float32 { return inf * float32(i%7-3) }),
		"huge":     fill(func(i int) float32 { return 3e38 * float32(i%2*2-1) }),
		"mostly":   fill(func(i int) float32 { return []float32{nan, 1}[i/399] }),
		"flat":     fill(func(int) float32 { return 1e9 }),
	} {
		for _, group := range []string{"", "pages"} {
			set := series.Set{StepS: 0.005}
			for c := range 3 {
				set.Columns = append(set.Columns,
					series.Column{Name: string(rune('a' + c)), Group: group, Unit: countUnit, Scope: series.JobScope, Values: v})
			}
			r, err := Detect(set, Default())
			if err != nil || len(r.Periods) == 0 && len(r.Notes) == 0 {
				t.Errorf("%s: %d periods, notes %v, error %v", name, len(r.Periods), r.Notes, err)
			}
			q, err := DetectPaper(set)
			if err != nil || len(q.Periods) == 0 && len(q.Notes) == 0 {
				t.Errorf("%s, as published: %d periods, notes %v, error %v", name, len(q.Periods), q.Notes, err)
			}
		}
	}
	if r, err := Detect(series.Set{StepS: 0.005}, Default()); err != nil || len(r.Notes) != 1 {
		t.Errorf("no columns: %v, %v", r.Notes, err)
	}
	bad := series.Set{StepS: 0.005,
		Columns: []series.Column{{Name: "a", Values: make(series.Values, 90)}, {Name: "b", Values: make(series.Values, 91)}}}
	if _, err := Detect(bad, Default()); err == nil {
		t.Error("columns of different length: no error")
	}
}

// The scale of a column does not matter.
func TestDetectScale(t *testing.T) {
	for _, scale := range []float32{1e-9, 1, 1e9} {
		l := newLoop(4)
		l.run(l.shape(90, 4, 2), 100, 0.01, 1)
		set := l.set(0.05)
		for i := range set.Columns[0].Values {
			set.Columns[0].Values[i] *= scale
		}
		if r := detect(t, set); len(r.Periods) != 1 || math.Abs(r.Periods[0].PeriodSamples/90-1) > 0.02 {
			t.Errorf("times %g: %d periods, %v", scale, len(r.Periods), r.Notes)
		}
	}
}
