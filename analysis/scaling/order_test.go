package scaling

import (
	"math"
	"testing"
)

func TestOrder(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	s := Series{Observations: []Observation{
		{P: 8, Value: 1, NodeHours: 2}, {P: 2, Value: 5, Group: "mon"}, {P: 8, Value: 3, NodeHours: 4},
		{P: -1, Value: 2}, {P: 0, Value: 2}, {P: nan, Value: 2}, {P: inf, Value: 2},
		{P: 4, Value: nan}, {P: 4, Value: -inf}, {P: 4, Value: 1e200}, {P: 2, Value: 6},
	}}
	points, notes := order(s)
	if len(points) != 2 || points[0].p != 2 || points[1].p != 8 {
		t.Fatalf("points %+v", points)
	}
	if v := points[0].values; len(v) != 2 || v[0] != 5 || v[1] != 6 || points[0].groups[0] != "mon" {
		t.Errorf("repetitions %v %v, want them in the order of the input", v, points[0].groups)
	}
	if points[1].mean() != 2 || points[1].nodeHours != 3 {
		t.Errorf("mean %g, node-hours %g", points[1].mean(), points[1].nodeHours)
	}
	want := map[string]bool{"unsorted": true, "missing_runs": true, "unusable_value": true, "unusable_parameter": true}
	for _, n := range notes {
		delete(want, string(n.Code))
	}
	if len(want) > 0 {
		t.Errorf("no note %v", want)
	}
	for _, p := range [][]float64{{1, 1, 2}, {1, 2, 4, 1, 2, 4}} {
		if points, notes := order(seriesOf(p, p)); len(notes) != 0 || points[0].p != 1 || len(points[0].values) != 2 {
			t.Errorf("repetitions in order: %v", notes)
		}
	}
	if _, notes := order(seriesOf([]float64{1, 4, 2}, []float64{1, 2, 3})); len(notes) != 1 {
		t.Errorf("out of order: %v", notes)
	}
}

func TestLone(t *testing.T) {
	p := []float64{1, 2, 4, 8, 16, 32}
	for _, c := range []struct {
		name string
		y    []float64
		at   int
		ok   bool
	}{
		{"p^3", []float64{1, 8, 64, 512, 4096, 32768}, 0, false},
		{"a step up of a factor of 400", []float64{1, 1, 1, 400, 401, 402}, 0, false},
		{"a peak", []float64{1, 2, 4000, 4, 5, 6}, 2, true},
		{"a pit", []float64{100, 100, 100, 1, 100, 100}, 3, true},
		{"a peak after the first", []float64{1, 2e6, 4, 8, 16, 32}, 1, true},
		{"steep all along", []float64{1, 1e6, 1e12, 1e18, 1e24, 1e30}, 0, false},
		{"the last", []float64{1, 2, 3, 4, 5, 1e15}, 5, true},
		{"the first", []float64{1e9, 2, 3, 4, 5, 6}, 0, true},
	} {
		at, ok := findLoneExtreme(p, c.y)
		if ok != c.ok || ok && at != c.at {
			t.Errorf("%s: %d %v, want %d %v", c.name, at, ok, c.at, c.ok)
		}
	}
}
