package pattern

import (
	"math"
	"math/rand/v2"
	"testing"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// The run's patterns are of another column; the reference's own has its loop.
func TestFindLooksAtTheReferencesColumn(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	shape := plateaus(rng, 100)
	var v series.Values
	for range 60 {
		for _, x := range shape {
			v = append(v, x+float32(0.05*rng.NormFloat64()))
		}
	}
	set := series.Set{StepS: 0.005, Columns: []series.Column{
		{Name: "net", Scope: series.JobScope, Values: make(series.Values, len(v))},
		{Name: "ipc", Scope: series.JobScope, Values: v}}}
	ref := NewReference(seen(rng, "A", "ipc", shape, 0.5, 1, 1, 0.02))
	other := []periodicity.Period{{Column: "net", PeriodS: 1, PeriodSamples: 200, Instances: []periodicity.Instance{{Length: 200}, {First: 200, Length: 200}}}}
	s, ok, notes, err := ref.Find(set, other, periodicity.Default(), DefaultMatching())
	if err != nil || !ok || len(notes) > 0 || math.Abs(s.StepS-0.5) > 0.005 {
		t.Errorf("%+v %v %v %v", s, ok, notes, err)
	}
	ref.Column, ref.ValuesColumn = "gone", "gone"
	if _, ok, notes, err := ref.Find(set, other, periodicity.Default(), DefaultMatching()); ok || err != nil || len(notes) != 1 {
		t.Errorf("a column that is gone: %v %v %v", ok, notes, err)
	}
}

// Of a group another page stands out more than the reference's: the shape is drawn
// in the reference's page, and a slow-down is seen.
func TestFindDrawsTheReferencesPage(t *testing.T) {
	s, p := loop(40, 60)
	ref := Reference{Column: "code", ValuesColumn: "code:b", PeriodS: 0.2}
	// Its shape is no rotation of the other page's.
	high := func(u float64) float32 {
		if u >= 0.15 && u < 0.25 || u >= 0.5 && u < 0.8 {
			return 2
		}
		return 0.5
	}
	for i := range 40 {
		ref.Values = append(ref.Values, high(float64(i)/40))
	}
	for i := range s.Columns[1].Values {
		s.Columns[1].Values[i] = high(float64(i%60) / 60)
	}
	p.PeriodS, p.LoS, p.HiS = 0.3, 0.29, 0.31
	got, ok, _, err := ref.Find(s, []periodicity.Period{p}, periodicity.Default(), DefaultMatching())
	if err != nil || !ok || got.StepS != 0.3 || got.Alike < 0.95 {
		t.Errorf("%+v %v %v", got, ok, err)
	}
	if q := Represent(s, []periodicity.Period{p})[0]; q.ValuesColumn != "code:a" {
		t.Errorf("the page that stands out is %s", q.ValuesColumn)
	}
}

// After a new build pages have other keys: the same shape at another speed is the
// same loop, but no multiple of it is.
func TestStepOfANewBuild(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	shape := plateaus(rng, 100)
	ref := NewReference(seen(rng, "A", "code", shape, 1, 1, 1, 0.05))
	p := seen(rng, "A", "code", shape, 1.3, 1, 1, 0.05)
	p.ValuesColumn = "code:new"
	if s, ok, _ := ref.Step([]Pattern{p}, DefaultMatching()); !ok || s.StepS != 1.3 {
		t.Errorf("%+v %v", s, ok)
	}
	p = seen(rng, "A", "code", shape, 1.3, 2, 1, 0.05)
	p.ValuesColumn = "code:new"
	if s, ok, _ := ref.Step([]Pattern{p}, DefaultMatching()); ok {
		t.Errorf("a multiple in another page: %+v", s)
	}
}
