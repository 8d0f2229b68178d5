package changepoint_test

import (
	"math"
	"slices"
	"testing"

	"jobgait/analysis/changepoint"
)

// changed is a result of n runs with a change at each of the rates.
func changed(n int, rates ...float64) changepoint.SeriesResult {
	r := changepoint.SeriesResult{N: n}
	for _, v := range rates {
		c := changepoint.Change{EffectPct: 10}
		if !math.IsNaN(v) {
			c.FalsePer1000 = &v
		}
		r.Changes = append(r.Changes, c)
	}
	return r
}

// Evidence beyond the rarest counted event still distinguishes two changes.
func TestChance(t *testing.T) {
	rate := .05
	at, beyond := changepoint.Change{FalsePer1000: &rate}, changepoint.Change{FalsePer1000: &rate, ExcessNats: 40}
	p, _ := at.Chance(100)
	q, _ := beyond.Chance(100)
	if math.Abs(p-.005) > 1e-4 || q > p*1e-4 || q <= 0 {
		t.Errorf("p = %v at the floor, %v beyond it", p, q)
	}
}

func TestExpectedByChance(t *testing.T) {
	if e := changepoint.ExpectedByChance([]changepoint.SeriesResult{changed(100, .1, .5), changed(200)}); math.Abs(
		e-.05) > 1e-12 {
		t.Errorf("expected %v, want .05: the weakest entry decides", e)
	}
}

// At most one in twenty of the listed changes is false, in any order, and more are kept if more stand out
// together.
func TestOutstanding(t *testing.T) {
	for _, c := range []struct {
		chances []float64
		judged  int
		want    []int
	}{
		{nil, 10, []int{}},
		{[]float64{.05}, 1, []int{0}},
		{[]float64{.05}, 2, []int{}},
		{[]float64{.9, .001, .5}, 3, []int{1}},
		{[]float64{.02, .9, .01}, 4, []int{0, 2}}, // they stand out together
		{[]float64{.03, .012, .9}, 4, []int{1}},
		{[]float64{.01, .01, .01}, 500, []int{}},
	} {
		var own *changepoint.SiteRate // unknown
		if got, _ := own.Outstanding(c.chances, c.judged); !slices.Equal(got, c.want) {
			t.Errorf("of %v, %d judged: %v, want %v", c.chances, c.judged, got, c.want)
		}
	}
}
