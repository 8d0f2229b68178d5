package calendar

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// nightly is a run a day with noise of 1 %, days first and the next of seven by
// size longer, and a step at run at.
func nightly(seed uint64, n, first int, size float64, at int, step float64) (x []float64, day []int) {
	r := rand.New(rand.NewPCG(seed, 61))
	for i := range n {
		v := .01 * r.NormFloat64()
		if d := i % 7; d == first || d == (first+1)%7 {
			v += size
		}
		if i >= at {
			v += step
		}
		x, day = append(x, v), append(day, i)
	}
	return x, day
}

func learnt(x []float64, day []int, began []float64, changes ...WeekChange) *Week {
	w := New(x, day, began)
	for k := range x {
		w.Learn(k, changes)
	}
	return w
}

func TestWeekendIsTakenOut(t *testing.T) {
	for first := range 7 {
		x, day := nightly(uint64(first), 90, first, .05, 45, .08)
		w := learnt(x, day, nil, WeekChange{Index: 45, Resumed: 45})
		for k := 83; k < 90; k++ {
			d := day[k] % 7
			want := 0.0
			if d == first || d == (first+1)%7 {
				want = .05
			}
			if got := w.Removed()[k]; math.Abs(got-want) > .008 {
				t.Errorf("a weekend from day %d: %.3f is taken out of day %d", first, got, d)
			}
		}
		if len(w.Notes(false)) != 1 {
			t.Errorf("a weekend from day %d: notes %v", first, w.Notes(false))
		}
	}
}

func TestNothingIsTakenOut(t *testing.T) {
	found := 0
	for seed := range uint64(100) {
		x, day := nightly(seed, 80, 0, 0, 80, 0)
		if slices.ContainsFunc(learnt(x, day, nil).Removed(), func(v float64) bool { return v != 0 }) {
			found++
		}
	}
	if found > 4 {
		t.Errorf("a week in %d of 100 histories without one", found)
	}
	x, day := nightly(1, 90, 2, .05, 90, 0)
	seconds := make([]float64, len(x)) // all began within a minute: a replay
	for i := range seconds {
		seconds[i] = 20000 + float64(i)/86400
	}
	if w := learnt(x, day, seconds); len(w.Notes(true)) != 0 {
		t.Errorf("of a replay: %v", w.Notes(true))
	}
	if New(x[:11], day[:11], nil) != nil || New(x[:19], day[:19], nil) != nil || New(x, nil, nil) != nil {
		t.Error("a week of too few runs, days, or none")
	}
	var none *Week
	none.RemoveFrom(x)
	if none.Notes(true) != nil {
		t.Error("notes of no week")
	}
}

// The adjusted value of a run does not depend on later runs, and the part that is removed equals the difference.
func TestWeekPrefix(t *testing.T) {
	x, day := nightly(3, 120, 5, .04, 60, .03)
	whole := New(x, day, nil)
	for n := range x {
		whole.Learn(n, nil)
		if n < 25 || n%9 != 0 {
			continue
		}
		if part := learnt(x[:n+1], day[:n+1], nil); !slices.Equal(part.X(), whole.X()[:n+1]) {
			t.Fatalf("%d runs: %v, of more %v", n+1, part.X(), whole.X()[:n+1])
		}
	}
	for k, v := range whole.X() {
		if math.Abs(v+whole.Removed()[k]-x[k]) > 1e-12 {
			t.Errorf("run %d: %v and %v of %v", k, v, whole.Removed()[k], x[k])
		}
	}
}

func TestWeekday(t *testing.T) {
	for day, want := range map[int]int{0: 0, 6: 6, 7: 0, -1: 6, -7: 0, 20743: 2} {
		if got := weekday(day); got != want {
			t.Errorf("day %d of the week is %d, want %d", day, got, want)
		}
	}
}
