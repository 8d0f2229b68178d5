package scaling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestNewGrid(t *testing.T) {
	none := []string{"", "", ""}
	tests := []struct {
		name   string
		point  point
		others float64 // how far two other points' runs lie apart
		want   float64
	}{
		{"one run", point{values: []float64{5}, groups: []string{""}}, 0, 5},
		{"mean", point{values: []float64{4, 5, 6}, groups: none}, 0.1, 5},
		{"one disturbed run", point{values: []float64{5, 15, 5.1}, groups: none}, 0.01, 5.05},
		{"one of two disturbed", point{values: []float64{9, 5}, groups: []string{"", ""}}, 0.01, 5},
		{"noisy runs stay", point{values: []float64{5, 6.5, 5}, groups: none}, 0.1, 5.5},
		{"days weigh alike", point{values: []float64{4, 4, 5}, groups: []string{"a", "a", "b"}}, 0.1, 4.5},
	}
	for _, test := range tests {
		points := []point{test.point}
		for k := range 4 {
			points = append(points, point{p: float64(k + 2), groups: []string{"", ""},
				values: []float64{10, 10 * (1 + test.others)}})
		}
		points[0].p = 1
		for k := range points {
			points[k].runs = make([]int, len(points[k].values))
		}
		points, _, _ = withoutBadRuns(points, newDetector())
		if got := newGrid(points).y[0]; math.Abs(got-test.want) > 1e-9 {
			t.Errorf("%s: %g, want %g", test.name, got, test.want)
		}
	}
}

// A level that belongs to a day is not a change; the same level without days is one.
func TestSharedDays(t *testing.T) {
	points := func(day bool) []point {
		var out []point
		r := rand.New(rand.NewPCG(3, 3))
		for k := range 10 {
			level, name := 1.0, "monday"
			if k >= 5 {
				level, name = 1.06, "tuesday"
			}
			pt := point{p: float64(k + 1)}
			for range 3 {
				pt.values = append(pt.values, 20*level*(1+0.003*r.NormFloat64()))
				if !day {
					name = ""
				}
				pt.groups = append(pt.groups, name)
			}
			out = append(out, pt)
		}
		return out
	}
	if d := detect(newGrid(points(false))); !d.segmented {
		t.Errorf("a step of 6 %%: strength %.2f of %.2f", d.strength, d.threshold)
	}
	if d := detect(newGrid(points(true))); d.segmented {
		t.Errorf("two days: strength %.2f of %.2f, cuts %v", d.strength, d.threshold, d.cuts)
	}
}

// Repetitions that agree do not make points precise that differ from day to day.
func TestRepetitionsAreNotPoints(t *testing.T) {
	src := newDraw(12)
	d := NewDetector()
	for _, family := range []string{"day 1%", "day 2%", "day 5%"} {
		false_ := 0
		for range 300 {
			s := src.Disturbed(family, 6)
			if d.Detect(s.P, s.Values, nil).Segmented { // even if the days are not known
				false_++
			}
		}
		if false_ > 12 {
			t.Errorf("%s: %d of 300 segmented", family, false_)
		}
	}
}

func TestMix(t *testing.T) {
	b, logDet, ok := newCorrelatedGroups([]int{0, 0, 0, -1, 1}, 4)
	if !ok {
		t.Fatal("three points of a group are not worth a block")
	}
	if want := math.Log(13)/2 + math.Log(5)/2; math.Abs(logDet-want) > 1e-12 {
		t.Errorf("determinant %g, want %g", logDet, want)
	}
	// A shared error of the group is reduced to 1/sqrt(1+3*4) of its size.
	col := []float64{1, 1, 1, 1, 0}
	b.decorrelate(col)
	for k, want := range []float64{1 / math.Sqrt(13), 1 / math.Sqrt(13), 1 / math.Sqrt(13), 1, 0} {
		if math.Abs(col[k]-want) > 1e-12 {
			t.Errorf("mixed %v, want %g at %d", col, want, k)
		}
	}
	for _, group := range [][]int{{0, 0, 0}, {0, 1, 2}, {-1, -1, -1}, nil} {
		if _, _, ok := newCorrelatedGroups(group, 4); ok {
			t.Errorf("groups %s say something", fmt.Sprint(group))
		}
	}
}
