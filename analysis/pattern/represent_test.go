package pattern

import (
	"math"
	"testing"

	"jobgait/analysis/periodicity"
	"jobgait/analysis/series"
)

// loop returns n instances of length l: page 0 holds 4 samples in the first
// half of each and 1 in the second, page 1 the rest of 5, page 2 a constant 50.
func loop(n, l int) (series.Set, periodicity.Period) {
	page := make([]series.Values, 3)
	p := periodicity.Period{Column: "code",
		Timing: periodicity.Timing{PeriodSamples: float64(l), PeriodS: float64(l) * 0.005}}
	for i := range n {
		p.Instances = append(p.Instances, periodicity.Instance{First: i * l, Length: l})
		for k := range l {
			v := float32(4)
			if k >= l/2 {
				v = 1
			}
			page[0] = append(page[0], v)
			page[1] = append(page[1], (5-v)/2)
			page[2] = append(page[2], 50)
		}
	}
	s := series.Set{StepS: 0.005}
	for k, name := range []string{"code:a", "code:b", "code:c"} {
		s.Columns = append(s.Columns, series.Column{Name: name, Unit: "samples", Group: "code", Scope: series.JobScope,
			Values: page[k]})
	}
	return s, p
}

func TestRepresentGroup(t *testing.T) {
	s, p := loop(20, 40)
	s.Columns[0].Values[3] = series.Missing()
	got := Represent(s, []periodicity.Period{p})[0]
	if got.ID != "A" || got.ValuesColumn != "code:a" || got.ValuesUnit != "samples" {
		t.Fatalf("id %q column %q unit %q", got.ID, got.ValuesColumn, got.ValuesUnit)
	}
	if len(got.Values) != 40 || len(got.P10) != 40 || len(got.P90) != 40 {
		t.Fatalf("%d points", len(got.Values))
	}
	for k, v := range got.Values {
		want := float32(4)
		if k >= 20 {
			want = 1
		}
		if v != want || got.P10[k] != want || got.P90[k] != want {
			t.Fatalf("point %d: %v [%v, %v], want %v", k, v, got.P10[k], got.P90[k], want)
		}
	}
}

// Instances of different lengths are stretched to the mean length: the step
// stays in the middle.
func TestRepresentStretches(t *testing.T) {
	var v series.Values
	p := periodicity.Period{Column: "x", Timing: periodicity.Timing{PeriodSamples: 30}}
	for i := range 40 {
		l := 28 + 2*(i%3)
		p.Instances = append(p.Instances, periodicity.Instance{First: len(v), Length: l})
		for k := range l {
			v = append(v, float32(2*k/l))
		}
	}
	s := series.Set{StepS: 1, Columns: []series.Column{{Name: "x", Unit: "1", Values: v}}}
	got := Represent(s, []periodicity.Period{p})[0]
	if len(got.Values) != 30 || got.Values[13] > 0.05 || got.Values[16] < 0.95 {
		t.Fatalf("step is smeared: %v", got.Values)
	}
}

func TestRepresentBounds(t *testing.T) {
	s, p := loop(4, 2000)
	if got := Represent(s, []periodicity.Period{p})[0]; len(got.Values) != storedPoints {
		t.Errorf("%d points for 2000 samples", len(got.Values))
	}
	if got := Represent(s, nil); got == nil || len(got) != 0 {
		t.Errorf("no periods: %v", got)
	}
	p.Column = "gone"
	got := Represent(s, []periodicity.Period{p, p})
	if got[0].Values == nil || len(got[0].Values) != 0 || got[1].ID != "B" {
		t.Errorf("missing column: %+v", got[0])
	}
	s.Columns = s.Columns[1:2]
	if one := Represent(s, []periodicity.Period{p})[0]; one.ValuesColumn != "code:b" || len(one.Values) == 0 {
		t.Errorf("the only column is not drawn: %+v", one)
	}
	if math.IsNaN(got[0].PeriodS) {
		t.Error("figures of the period are lost")
	}
}

// The mean length of a cycle is within the printed interval of the median: readers divide the length of a
// stretch by the number of cycles in it.
func TestIntervalHoldsMean(t *testing.T) {
	s, p := loop(20, 40)
	p.PeriodLoS, p.PeriodS, p.PeriodHiS, p.MeanS = 0.1731, 0.176, 0.1794, 0.181
	p.Kind, p.Axis, p.P10S, p.P90S, p.CPUS = periodicity.Unequal, periodicity.Both, 0.16, 0.2, 0.3
	got := Represent(s, []periodicity.Period{p})[0]
	if got.PeriodLoS != 0.1731 || got.PeriodHiS != 0.181 || got.PeriodS != 0.176 {
		t.Errorf("%v in %v to %v", got.PeriodS, got.PeriodLoS, got.PeriodHiS)
	}
	if got.Kind != p.Kind || got.Axis != p.Axis || got.MeanS != p.MeanS || got.P10S != p.P10S || got.P90S != p.P90S ||
		got.CPUS != p.CPUS {
		t.Errorf("lost on the way: %+v", got)
	}
}
