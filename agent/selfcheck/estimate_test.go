package selfcheck

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestShift(t *testing.T) {
	for name, c := range map[string]struct {
		d    []float64
		want Interval
	}{
		"none":     {nil, Interval{0, math.Inf(-1), math.Inf(1)}},
		"five":     {[]float64{1, 2, 3, 4, 5}, Interval{3, math.Inf(-1), math.Inf(1)}},
		"six":      {[]float64{1, 2, 3, 4, 5, 6}, Interval{3.5, 1, 6}},
		"one wild": {[]float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1000}, Interval{1, 1, 500.5}},
	} {
		got := shift(c.d)
		if got.Value != c.want.Value || got.Lo != c.want.Lo || got.Hi > c.want.Hi {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// The interval holds the truth in 95 % of the draws, with noise as machines have
// it: small, and now and then fifty times as large, to either side.
func TestShiftCoverage(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 14))
	for _, n := range []int{6, 12, 30, 60} {
		const draws, truth = 1000, 5.0
		held := 0
		for range draws {
			d := make([]float64, n)
			for i := range d {
				d[i] = truth + r.NormFloat64()
				if r.IntN(5) == 0 {
					d[i] += 50 * r.NormFloat64()
				}
			}
			if x := shift(d); x.Lo <= truth && truth <= x.Hi {
				held++
			}
		}
		if share := float64(held) / draws; share < 0.925 || share > 0.985 {
			t.Errorf("n = %d: %.3f of the intervals hold the truth", n, share)
		}
	}
}

func TestTypical(t *testing.T) {
	for name, c := range map[string]struct {
		times []int64
		want  float64
	}{
		"all alike":     {[]int64{500, 500, 500, 500}, 500},
		"one preempted": {[]int64{500, 4500, 510, 490, 500}, 500},
		"a third of it": {[]int64{500, 500, 500, 500, 9000, 8000}, 500},
		"records count": {[]int64{500, 512, 524, 512, 512}, 512},
	} {
		if got := typical(c.times, nil, 1.3); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestStretch(t *testing.T) {
	for name, c := range map[string]struct {
		times []int64
		hit   float64
		want  float64
	}{
		"all alike":         {[]int64{500, 500, 500, 500, 500}, 0, 1},
		"a record in one":   {[]int64{500, 550, 500, 500, 500}, 0, 1.02},
		"slower, all alike": {[]int64{600, 660, 600, 600, 600}, 0, 1.02},
		"one preempted":     {[]int64{500, 500, 9000, 550, 500}, 0, 1.025},
		"one lucky":         {[]int64{400, 500, 500, 500, 500}, 0, 0.96},
		"between two":       {[]int64{400, 480, 480, 480, 480}, 0.5, 464.0 / 440},
		"too many records":  {[]int64{400, 480, 480, 480, 480}, 9, 464.0 / 440},
	} {
		if got := stretch(c.times, nil, 1.25, c.hit); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
