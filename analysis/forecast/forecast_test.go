package forecast

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// For runs that only scatter, intervals contain 95 % of the values, and values with a chance below 10 % occur in
// 10 % of the runs.
func TestIntervalHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(44, 1))
	inside, over, n := 0, 0, 4000
	for range n {
		y := make([]float64, 3+r.IntN(12))
		for i := range y {
			y[i] = 100 * math.Exp(0.03*r.NormFloat64())
		}
		last := len(y) - 1
		f, err := Next(y[:last], nil, Default())
		if last < 3 {
			if !errors.Is(err, ErrFewRuns) {
				t.Fatalf("%d runs: %v", last, err)
			}
			n--
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := f.Interval(0.95)
		if lo <= y[last] && y[last] <= hi {
			inside++
		}
		if f.ChanceAbove(y[last]) < 0.1 {
			over++
		}
	}
	if share := float64(inside) / float64(n); share < 0.93 || share > 0.98 {
		t.Errorf("%.3f of the intervals hold the next value", share)
	}
	if share := float64(over) / float64(n); share < 0.075 || share > 0.115 {
		t.Errorf("a chance of less than .1 came true for %.3f of the runs", share)
	}
}

// The newest regime gives the level, runs that differ too much are refused, and failed runs do not count.
func TestNewestRegime(t *testing.T) {
	y := []float64{100, 101, 99, 100, 50, 50.5, 49.5, math.NaN(), 50}
	f, err := Next(y, []int{4}, Default())
	if err != nil || f.Runs != 4 || math.Abs(f.Median()-50) > 0.5 || math.Abs(f.Largest-50.5) > 1e-9 {
		t.Errorf("%+v, %v", f, err)
	}
	if f.ChanceAbove(40) < 0.99 || f.ChanceAbove(70) > 0.01 || f.ChanceAbove(0) != 1 || f.ChanceAbove(math.NaN()) != 1 {
		t.Errorf("chances %v, %v", f.ChanceAbove(40), f.ChanceAbove(70))
	}
	if _, err := Next([]float64{10, 100, 1000, 50}, nil, Default()); !errors.Is(err, ErrInputs) {
		t.Errorf("other inputs: %v", err)
	}
	for _, few := range [][]float64{nil, {1}, {1, 2, math.NaN()}, {0, -1, math.Inf(1)}} {
		if _, err := Next(few, nil, Default()); !errors.Is(err, ErrFewRuns) {
			t.Errorf("%v: %v", few, err)
		}
	}
	if l := Limit(f); l != 300 {
		t.Errorf("the limit is %v", l)
	}
}

func FuzzNext(f *testing.F) {
	f.Add(100.0, 101.0, 50.0, 51.0, 2)
	f.Fuzz(func(t *testing.T, a, b, c, d float64, start int) {
		y := []float64{a, b, c, d}
		var starts []int
		if start > 0 && start < len(y) {
			starts = []int{start}
		}
		got, err := Next(y, starts, Default())
		if err != nil {
			return
		}
		lo, hi := got.Interval(0.95)
		if !(lo <= got.Median() && got.Median() <= hi) || math.IsNaN(got.ChanceAbove(a)) {
			t.Errorf("%v gives %+v", y, got)
		}
	})
}
