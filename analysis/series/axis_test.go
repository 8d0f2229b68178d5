package series

import (
	"slices"
	"testing"
)

// Samples outside all pieces are left out; samples inside keep the times of the rest.
func TestWithin(t *testing.T) {
	s := Set{StepS: 0.001, Axis: CPU, WallS: []float64{0, 1, 2, 5, 6, 7, 9},
		Columns: []Column{{Values: Values{1, 2, 3, 4, 5, 6}}, {Values: Values{6, 5, 4, 3, 2, 1}}}}
	for _, c := range []struct {
		name   string
		pieces []Piece
		values Values
		wallS  []float64
	}{
		{"all", []Piece{{0, 9, 0}}, Values{1, 2, 3, 4, 5, 6}, []float64{0, 1, 2, 5, 6, 7, 9}},
		{"the middle left out", []Piece{{0, 2, 10}, {6, 9, 12}}, Values{1, 2, 5, 6}, []float64{10, 11, 12, 13, 15}},
		{"ends within a sample", []Piece{{0, 4, 0}}, Values{1, 2, 3}, []float64{0, 1, 2, 4}},
		{"nothing there", []Piece{{20, 30, 0}}, nil, []float64{0}},
		{"none", nil, nil, []float64{0}},
	} {
		got := s.Within(c.pieces)
		if !slices.Equal(got.Columns[0].Values, c.values) || !slices.Equal(got.WallS, c.wallS) ||
			got.Len() != len(got.Columns[1].Values) || got.Axis != CPU {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
	if len(s.WallS) != 7 || s.Len() != 6 {
		t.Error("the set itself was changed")
	}
}

func TestSmoothed(t *testing.T) {
	gap := Missing()
	s := Set{Columns: []Column{{Values: Values{3, 0, 0, 6, gap, 2, 4}}}}
	if v := s.Smoothed(1).Columns[0].Values; v[0] != 3 || v[6] != 4 {
		t.Errorf("one by one: %v", v)
	}
	v := s.Smoothed(3).Columns[0].Values
	for i, want := range (Values{1.5, 1, 2, 3, gap, 3, 3}) {
		if v[i] != want && (v[i] == v[i] || want == want) {
			t.Errorf("%d: %v, want %v", i, v[i], want)
		}
	}
}

// What only the slots count is in the bins that ended in them, and no longer in the
// rest; what bins count they keep.
func TestComplete(t *testing.T) {
	wall := Set{StepS: 2, StartS: 1, Columns: []Column{
		{Name: "code:a", Group: CodeGroup, Values: Values{2, 1, 0}},
		{Name: "code:b", Group: CodeGroup, Values: Values{1, 0, 3}},
		{Name: OtherCode, Group: CodeGroup, Values: Values{1, 0, 0}},
	}}
	bins := Set{StepS: 2, Axis: CPU, WallS: []float64{1, 2, 3, 5, 7}, Columns: []Column{
		{Name: "code:a", Values: Values{1, 0, 0, 0}},
		{Name: "code:a+300", Values: Values{0, 1, 0, 0}},
		{Name: OtherCode, Values: Values{1, 1, 1, 3}},
	}}
	got := bins.Complete(wall, wall.Columns)
	for name, want := range map[string]Values{
		"code:a": {1, 0, 1, 0}, "code:a+300": {0, 1, 0, 0}, "code:b": {.5, .5, 0, 3}, OtherCode: {.5, .5, 0, 0},
	} {
		c, ok := got.Column(name)
		if !ok || !slices.Equal(c.Values, want) {
			t.Errorf("%s: %v, want %v", name, c.Values, want)
		}
	}
	if v := bins.Columns[2].Values; len(got.Columns) != 4 || v[0] != 1 || len(bins.Columns) != 3 {
		t.Error("the bins themselves were changed")
	}
	if got := (Set{Columns: bins.Columns[:1]}).Complete(wall, wall.Columns); len(got.Columns) != 1 {
		t.Error("nothing says what the rest is")
	}
}

// Gaps stay gaps, and no count is below nothing.
func TestCompleteGaps(t *testing.T) {
	gap := Missing()
	wall := Set{StepS: 1, Columns: []Column{{Name: "code:a", Values: Values{gap, 5, 0, 3}}}}
	bins := Set{StepS: 1, WallS: []float64{0, 1, 2, 3, 5}, Columns: []Column{
		{Name: "code:a", Values: Values{1, gap, 2, 0}}, {Name: OtherCode, Values: Values{1, gap, 1, 0}},
	}}
	got := bins.Complete(wall, wall.Columns)
	for j, want := range []Values{{1, gap, 0, 3}, {1, gap, 3, 0}} {
		for i, x := range got.Columns[j].Values {
			if x != want[i] && (x == x || want[i] == want[i]) {
				t.Errorf("column %d, bin %d: %v, want %v", j, i, x, want[i])
			}
		}
	}
}
