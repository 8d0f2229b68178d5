package changepoint_test

import (
	"math"
	"math/rand/v2"
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

// Of what is listed, no more than one in twenty may be chance. 2000 families
// have a change by chance with the p that it says, 40 have a real one.
func TestDiscover(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 1))
	listed, chance := 0, 0
	for range 50 {
		var f []changepoint.Family
		for i := range 2040 {
			p := r.Float64()
			if i >= 2000 {
				p = 1e-6
			}
			rate := -math.Log1p(-p) * 10 // of 100 runs
			f = append(f, changepoint.Family{Results: []changepoint.Result{changed(100, rate)}})
			f[i].Key = string(rune('r' - 7*(i/2000)))
		}
		list, expected := changepoint.Discover(f, .05)
		listed += len(list)
		for _, d := range list {
			if d.Family == "r" {
				chance++
			}
		}
		if expected > .05*float64(len(list))+1e-9 || len(list) < 40 {
			t.Errorf("%d listed, %.2f expected by chance", len(list), expected)
		}
	}
	if share := float64(chance) / float64(listed); share > .07 {
		t.Errorf("%.3f of the entries are chance", share)
	}
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

func TestFamilies(t *testing.T) {
	strong, weak := 1e-6, 5.0
	f := []changepoint.Family{
		{"leads", []changepoint.Result{changed(100), changed(100, strong)}},
		{"not measured", []changepoint.Result{changed(0), changed(100, strong)}},
		{"not calibrated", []changepoint.Result{changed(100, math.NaN())}},
		{"weak", []changepoint.Result{changed(100, weak)}},
		{"newest counts", []changepoint.Result{changed(100, strong, weak)}},
	}
	list, _ := changepoint.Discover(f, .05)
	if len(list) != 1 || list[0].Family != "not measured" || list[0].Result != 1 {
		t.Errorf("%+v", list)
	}
	if list, expected := changepoint.Discover(nil, .05); len(list) != 0 || expected != 0 {
		t.Error("nothing gives something")
	}
	if e := changepoint.ExpectedByChance([]changepoint.Result{changed(100, .1, .5), changed(200)}); math.Abs(e-.05) > 1e-12 {
		t.Errorf("expected %v, want .05: the weakest entry decides", e)
	}
}
