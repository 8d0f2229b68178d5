package summary

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"jobgait/analysis/run"
	"jobgait/analysis/series"
)

// courseSet returns 60 s of busy CPUs in steps of 50 ms, with noise.
func courseSet(seed uint64, busy func(t float64) float64) series.Set {
	random := rand.New(rand.NewPCG(seed, 0))
	set := series.Set{StepS: 0.05, Columns: []series.Column{{Name: busyColumn, Unit: "CPUs"}}}
	for i := range 1200 {
		v := busy(float64(i)*set.StepS) + 0.3*random.NormFloat64()
		set.Columns[0].Values = append(set.Columns[0].Values, float32(v))
	}
	return set
}

// A run whose start differs has two parts, one whose end differs as well has three, and a steady one has one.
func TestCourse(t *testing.T) {
	level := func(t float64) float64 {
		if t < 20 {
			return 1
		}
		return 2
	}
	for seed := range uint64(20) {
		if got := courseOf(courseSet(seed, func(float64) float64 { return 1 }), nil); len(got) != 1 {
			t.Errorf("seed %d: a steady run has the parts %v", seed, got)
		}
		got := courseOf(courseSet(seed, level), nil)
		if len(got) != 2 || got[0].EndS < 18 || got[0].EndS > 22 || got[0].BusyCPUs > 1.2 || got[1].BusyCPUs < 1.8 {
			t.Errorf("seed %d: a start of 20 s: %+v", seed, got)
		}
		got = courseOf(courseSet(seed, func(t float64) float64 {
			if t > 50 {
				return 0
			}
			return level(t)
		}), nil)
		if len(got) != 3 || got[1].EndS < 48 || got[1].EndS > 52 {
			t.Errorf("seed %d: a start of 20 s and an end of 10: %+v", seed, got)
		}
	}
}

// The spread of a stretch by running sums is that by its definition.
func TestSpreadOfAStretch(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	rows := make([][]float64, 5)
	for i := range rows {
		for range courseBins {
			rows[i] = append(rows[i], float64(i)*10+random.NormFloat64())
		}
	}
	sums := sumParts(rows, courseBins)
	for from := range courseBins {
		for to := from + 1; to <= courseBins; to++ {
			want := 0.0
			for _, row := range rows {
				m := meanInParts(row[from:to])
				for _, v := range row[from:to] {
					want += (v - m) * (v - m)
				}
			}
			if got := sums.spread(from, to); math.Abs(got-want) > 1e-12*sums.squares[courseBins] {
				t.Fatalf("parts %d to %d: %g, want %g", from, to, got, want)
			}
		}
	}
}

// Levels without noise are divided where they change, and nowhere else.
func TestCourseWithoutNoise(t *testing.T) {
	for _, cuts := range [][]int{nil, {20}, {20, 41}} {
		rows := make([][]float64, 2)
		for k := range courseBins {
			level := 0.1
			for _, cut := range cuts {
				if k >= cut {
					level += 0.7
				}
			}
			rows[0], rows[1] = append(rows[0], level), append(rows[1], 0.3)
		}
		if got := divideCourse(rows, courseBins); !slices.Equal(got, cuts) {
			t.Errorf("changes at %v: divided at %v", cuts, got)
		}
	}
}

// A gap in the samples is no part of a run, and a run with less than eight steps is not divided.
func TestCourseOfGaps(t *testing.T) {
	set := courseSet(1, func(float64) float64 { return 2 })
	for i := 600; i < 780; i++ {
		set.Columns[0].Values[i] = float32(math.NaN())
	}
	if got := courseOf(set, nil); got != nil {
		t.Errorf("a gap gives the parts %v", got)
	}
	for _, c := range []struct{ steps, parts int }{{7, 0}, {30, 1}} { // of 1 s
		set := courseSet(1, func(float64) float64 { return 2 })
		set.StepS, set.Columns[0].Values = 1, set.Columns[0].Values[:c.steps]
		if got := courseOf(set, nil); len(got) != c.parts {
			t.Errorf("%d steps have the parts %v", c.steps, got)
		}
	}
}

// Names of functions leave the record only where the user may see them.
func TestCourseKeepsNames(t *testing.T) {
	s := Summary{Course: []Stretch{{LeadShare: 0.5}}}
	s.Course[0].Lead.Library, s.Course[0].Lead.Name = "libm.so.6", "sin"
	if got := s.WithNames(run.AllNames).Course[0].Lead; got.Name != "sin" {
		t.Errorf("all names: %+v", got)
	}
	if got := s.WithNames(run.Libraries).Course[0].Lead; got.Name != "" || got.Library != "libm.so.6" {
		t.Errorf("libraries: %+v", got)
	}
	if got := s.WithNames("off").Course[0].Lead; got.Name != "" || got.Library != "" {
		t.Errorf("no names: %+v", got)
	}
	if s.Course[0].Lead.Name != "sin" {
		t.Error("the summary itself was changed")
	}
}
