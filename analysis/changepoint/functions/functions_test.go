package functions

import (
	"math"
	"testing"
)

// side gives n runs of a value that scatters by 1 %; a value of 0 is not listed.
func side(y []float64, n int, v float64) []float64 {
	for i := range n {
		x := math.NaN()
		if v > 0 {
			x = v * (1 + .01*math.Sin(float64(7*len(y)+3*i)))
		}
		y = append(y, x)
	}
	return y
}

func drawn(before, after map[string]float64) ([]Part, []float64) {
	var parts []Part
	total := make([]float64, 20)
	names := map[string]bool{}
	for name := range before {
		names[name] = true
	}
	for name := range after {
		names[name] = true
	}
	for name := range names {
		p := Part{Library: "app", Name: name, Y: side(side(nil, 10, before[name]), 10, after[name])}
		for k, v := range p.Y {
			if v > 0 {
				total[k] += v
			}
		}
		parts = append(parts, p)
	}
	return parts, total
}

func TestExplain(t *testing.T) {
	for name, c := range map[string]struct {
		before, after map[string]float64
		shifts        []string
		from, to      string
	}{
		"slower":    {map[string]float64{"a": 1, "b": 2}, map[string]float64{"a": 1.2, "b": 2}, []string{"a"}, "", ""},
		"renamed":   {map[string]float64{"a": 1, "b": 2}, map[string]float64{"c": 1, "b": 2}, nil, "a", "c"},
		"inlined":   {map[string]float64{"a": 1, "b": 2}, map[string]float64{"b": 3}, nil, "a", "b"},
		"taken out": {map[string]float64{"b": 3}, map[string]float64{"a": 1, "b": 2}, nil, "b", "a"},
		"new":       {map[string]float64{"b": 3}, map[string]float64{"a": 1, "b": 3}, []string{"a"}, "", ""},
		"gone":      {map[string]float64{"a": 1, "b": 3}, map[string]float64{"b": 3}, []string{"a"}, "", ""},
		"renamed, slower": {map[string]float64{"a": 1, "b": 3}, map[string]float64{"c": 1.5, "b": 3}, []string{"c", "a"}, "",
			""},
		"nothing": {map[string]float64{"a": 1, "b": 3}, map[string]float64{"a": 1, "b": 3}, nil, "", ""},
		"work moved": {map[string]float64{"a": 1, "b": 3}, map[string]float64{"a": 2, "b": 2}, []string{"a", "b"}, "",
			""},
		"two, one renamed": {map[string]float64{"a": 1, "b": 3, "d": 1}, map[string]float64{"c": 1, "b": 4, "d": 1},
			[]string{"b"}, "a", "c"},
	} {
		parts, total := drawn(c.before, c.after)
		e, ok := Explain(parts, total, 10, 0, 20, nil)
		if !ok {
			t.Fatal(name)
		}
		var got []string
		for _, s := range e.Shifts {
			got = append(got, s.Name)
			if !(s.Lo <= s.Delta && s.Delta <= s.Hi) {
				t.Errorf("%s: %+v", name, s)
			}
		}
		want := map[string]bool{}
		for _, s := range c.shifts {
			want[s] = true
		}
		for _, s := range got {
			if !want[s] {
				t.Errorf("%s: %s is named", name, s)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %v", name, got)
		}
		if replaced := len(e.Replaced) > 0; replaced != (c.from != "") ||
			replaced && (e.Replaced[0].From.Name != c.from || e.Replaced[0].To.Name != c.to) {
			t.Errorf("%s: replaced %+v", name, e.Replaced)
		}
		sum := 0.0
		for _, p := range parts {
			s := shiftOf(p, [2][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {10, 11, 12, 13, 14, 15, 16, 17, 18, 19}})
			sum += s.Delta
		}
		if math.Abs(sum-e.Total.Delta) > 1e-9 {
			t.Errorf("%s: %g, not %g", name, sum, e.Total.Delta)
		}
	}
}

// A run that waits longer is not attributed to a function that became slightly slower.
func TestWaitingIsNotAttributedToFunctions(t *testing.T) {
	parts, total := drawn(map[string]float64{"a": 1, "b": 2}, map[string]float64{"a": 1.05, "b": 2})
	e, _ := Explain(parts, total, 10, 0, 20, nil)
	if got := e.Parts(math.Log(1.15)); len(got) != 0 {
		t.Errorf("%+v", got)
	}
	if got := e.Parts(math.Log(1.02)); len(got) != 1 || got[0].Name != "a" {
		t.Errorf("%+v", got)
	}
	if got := e.Parts(math.Log(.98)); len(got) != 0 {
		t.Errorf("the other way: %+v", got)
	}
}

// Too few runs with code explain nothing.
func TestExplainNothing(t *testing.T) {
	parts, total := drawn(map[string]float64{"a": 1}, map[string]float64{"a": 2})
	if _, ok := Explain(parts, total, 10, 8, 20, nil); ok {
		t.Error("two runs are a level")
	}
	if _, ok := Explain(parts, nil, 10, 0, 20, nil); ok {
		t.Error("no code is a level")
	}
}
