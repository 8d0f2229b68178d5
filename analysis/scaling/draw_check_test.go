package scaling

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
)

// soundDraw is what every drawn series is.
func soundDraw(t *testing.T, s drawnSeries) {
	t.Helper()
	if len(s.Values) != len(s.P) || !slices.IsSorted(s.P) || len(slices.Compact(slices.Clone(s.P))) != len(s.P) {
		t.Fatalf("%s: %d points, values at %d, p %v", s.Family, len(s.P), len(s.Values), s.P)
	}
	for i, c := range s.Cuts {
		if c < 1 || c >= len(s.P) || i > 0 && c <= s.Cuts[i-1] {
			t.Fatalf("%s: cuts %v of %d points", s.Family, s.Cuts, len(s.P))
		}
	}
	for k, v := range s.Values {
		if len(v) == 0 || s.Groups != nil && len(s.Groups[k]) != len(v) {
			t.Fatalf("%s: values %v with groups %v", s.Family, v, s.Groups)
		}
		for _, y := range v {
			if math.IsNaN(y) || math.IsInf(y, 0) || s.Groups == nil && !(y > 0) {
				t.Fatalf("%s: value %g at %g", s.Family, y, s.P[k])
			}
		}
	}
}

func everyDraw(src drawSource, i int) []drawnSeries {
	c := drawCell{In: i&1 == 0, Decades: i&2 == 0, Doubling: i&4 == 0, Noise: 0.15}
	out := []drawnSeries{src.Paper(c, 5, 5), src.Paper(c, 6), src.Sum(c, 9), src.Falling(c, 16), src.Twice(0.1)}
	for _, family := range append(append([]string(nil), steadyFamilies...), changedFamilies...) {
		out = append(out, src.Measured(family, 0.1))
	}
	for _, family := range roughFamilies {
		out = append(out, src.Disturbed(family, 6+i%5))
	}
	return out
}

func TestDrawSeries(t *testing.T) {
	src := newDraw(1)
	for i := range 300 {
		for _, s := range everyDraw(src, i) {
			soundDraw(t, s)
		}
	}
}

func TestDrawSeed(t *testing.T) {
	if a, b := everyDraw(newDraw(5), 1), everyDraw(newDraw(5), 1); !reflect.DeepEqual(a, b) {
		t.Error("one seed, two draws")
	}
	if a, b := everyDraw(newDraw(5), 1), everyDraw(newDraw(6), 1); reflect.DeepEqual(a, b) {
		t.Error("two seeds, one draw")
	}
}

// A kink is continuous where its law changes, a step is not.
func TestDrawChanges(t *testing.T) {
	src := newDraw(2)
	for range 200 {
		kink, step := src.Measured("kink", 0), src.Measured("step", 0)
		c := step.Cuts[0]
		if r := step.Values[c][0] / step.Values[c-1][0]; math.Abs(r-1) < 0.05 && step.P[c]/step.P[c-1] < 1.1 {
			t.Errorf("a step of %g", r)
		}
		c = kink.Cuts[0]
		p, y := kink.P, kink.Values
		// A point just after the kink would be near it: the first point after it is between the continuation of the law
		// before and ten times that.
		before := (y[c-1][0] - y[c-2][0]) / (p[c-1] - p[c-2])
		after := (y[c][0] - y[c-1][0]) / (p[c] - p[c-1])
		if after <= 0 || before > 0 && math.Abs(after-before) < 1e-3*before {
			t.Errorf("slopes %g and %g around a kink", before, after)
		}
	}
}

func TestDrawPoints(t *testing.T) {
	tests := []struct {
		cell drawCell
		n    int
		want string
	}{
		{drawCell{}, 4, "[1 2 3 4]"},
		{drawCell{Doubling: true}, 4, "[2 4 8 16]"},
	}
	for _, test := range tests {
		if got := fmt.Sprint(test.cell.Points(test.n)); got != test.want {
			t.Errorf("%+v: %s, want %s", test.cell, got, test.want)
		}
	}
	if p := (drawCell{Doubling: true}).Points(64); math.Abs(p[63]-1<<14) > 1e-6 {
		t.Errorf("64 points end at %g", p[63])
	}
}
