package changepoint_test

import (
	"math"
	"testing"

	"jobgait/analysis/changepoint"
)

// changed is a result of n runs with a change at each of the rates.
func changed(n int, rates ...float64) changepoint.Result {
	r := changepoint.Result{N: n}
	for _, v := range rates {
		c := changepoint.Change{EffectPct: 10}
		if !math.IsNaN(v) {
			c.FalsePer1000 = &v
		}
		r.Changes = append(r.Changes, c)
	}
	return r
}

// Evidence beyond the rarest event that was counted still tells two apart.
func TestChance(t *testing.T) {
	rate := .05
	at, beyond := changepoint.Change{FalsePer1000: &rate}, changepoint.Change{FalsePer1000: &rate, Beyond: 40}
	p, _ := at.Chance(100)
	q, _ := beyond.Chance(100)
	if math.Abs(p-.005) > 1e-4 || q > p*1e-4 || q <= 0 {
		t.Errorf("p = %v at the floor, %v beyond it", p, q)
	}
}

func TestExpectedByChance(t *testing.T) {
	if e := changepoint.ExpectedByChance([]changepoint.Result{changed(100, .1, .5), changed(200)}); math.Abs(e-.05) > 1e-12 {
		t.Errorf("expected %v, want .05: the weakest entry decides", e)
	}
}
