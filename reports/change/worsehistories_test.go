package change

import (
	"math"
	"strconv"
	"testing"

	"jobgait/analysis/changepoint"
)

// TestWorseAmongMany checks that a change which counts in a single history does not count among many unless it
// stands out, whether or not the false-alarm rate is known.
func TestWorseAmongMany(t *testing.T) {
	slower := func(rate *float64, pct, z float64) changepoint.Change {
		c := step(20, firstDay+20.5, pct)
		se := math.Log1p(pct/100) / z
		c.LoPct, c.HiPct = ptr(100*math.Expm1(z*se-1.96*se)), ptr(100*math.Expm1(z*se+1.96*se))
		c.FalsePer1000 = rate
		return c
	}
	none := slower(nil, 10, 20)
	none.LoPct, none.HiPct = nil, nil
	for name, c := range map[string]struct {
		change      changepoint.Change
		alone, many bool
	}{
		"rate of .3 in 1000":              {slower(ptr(.3), 10, 5), true, false},
		"rate of .001 in 1000":            {slower(ptr(.001), 10, 4), true, true},
		"rate at its floor, strong":       {slower(ptr(.01), 10, 10), true, true},
		"unknown rate, weak":              {slower(nil, 10, 4), true, false},
		"unknown rate, strong":            {slower(nil, 10, 20), true, true},
		"unknown rate, interval has zero": {slower(nil, 10, 1.5), false, false},
		"unknown rate, no interval":       {none, true, false},
		"faster":                          {slower(ptr(.001), -10, -9), false, false},
		"small":                           {slower(ptr(.001), 1, 9), false, false},
	} {
		for n, want := range map[int]bool{1: c.alone, 500: c.many} {
			var hs []History
			var found changepoint.Analysis
			for i := range n {
				id := strconv.Itoa(i)
				hs = append(hs, aHistory(id))
				found.Series = append(found.Series, result(id))
			}
			found.Series[n/2] = result(strconv.Itoa(n/2), c.change)
			r := New(hs, changepoint.Sequential, found, Default())
			if got := len(r.WorseHistories()) == 1; got != want {
				t.Errorf("%s, one of %d: worse %v", name, n, got)
			}
		}
	}
}

// TestAcknowledgedByName checks that a series may be named as the text names it.
func TestAcknowledgedByName(t *testing.T) {
	h := aHistory("0")
	h.Name = "runs.csv"
	found := changepoint.Analysis{Series: []changepoint.SeriesResult{result("0", step(20, h.T[20], 14.9))}}
	for id, want := range map[string]int{"0": 0, "runs.csv": 0, "other": 1} {
		o := Default()
		o.Acks = Acks{{ID: id, Index: 20, Day: math.NaN()}}
		if r := New([]History{h}, changepoint.Sequential, found, o); len(r.WorseHistories()) != want {
			t.Errorf("%s: %d worse, want %d", id, len(r.WorseHistories()), want)
		}
	}
}
