package changepoint_test

import (
	"testing"

	"jobgait/analysis/changepoint"
)

func TestWorse(t *testing.T) {
	g := 1
	lo := 1.0
	result := func(c ...changepoint.Change) changepoint.SeriesResult { return changepoint.SeriesResult{Changes: c} }
	up := func(pct float64) changepoint.Change { return changepoint.Change{EffectPct: pct, LoPct: &lo} }
	ends := func(a, b float64) changepoint.SeriesResult {
		return result(changepoint.Change{EffectPct: a, Group: &g}, changepoint.Change{EffectPct: b, Group: &g})
	}
	for _, c := range []struct {
		name string
		r    changepoint.SeriesResult
		want bool
	}{
		{"no change", result(), false},
		{"slower", result(up(5)), true},
		{"a little slower", result(up(1.5)), false},
		{"faster", result(up(-5)), false},
		{"slower, then faster", result(up(20), up(-5)), false},
		{"back from an excursion", ends(20, -16.7), false},
		{"back from a fast excursion", ends(-20, 25), false},
		{"not quite back", ends(20, -10), true},
	} {
		got := changepoint.WorseSeries([]changepoint.SeriesResult{c.r}, 2)
		if (len(got) == 1) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}
