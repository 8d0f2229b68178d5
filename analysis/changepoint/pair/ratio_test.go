package pair_test

import (
	"math"
	"slices"
	"testing"

	"jobgait/analysis/changepoint"
	"jobgait/analysis/changepoint/pair"
)

// The median of a day's runs counts as one, days of only one history are left out, and a spike does not count in
// its level.
func TestRatio(t *testing.T) {
	var a, b changepoint.Series
	for i := range 20 {
		day, y := float64(i), 10.0
		a.T, a.Y = append(a.T, day), append(a.Y, y)
		if i >= 10 {
			y *= 1.2 + .001*float64(i%3)
		}
		b.T, b.Y = append(b.T, day+.5), append(b.Y, 1.1*y)
	}
	a.T, a.Y = append(a.T, 5.2, 5.3, 99), append(a.Y, 10, 1e4, 7)
	b.Y[15], b.Y[2] = 500, math.NaN()
	h := pair.Ratio(a, b, pair.JoinDay, []changepoint.Change{{Index: 9}})
	if len(h.Y) != 19 || h.T[0] != 0 || h.T[2] != 3 || !slices.Equal(h.Outliers, []int{14}) || len(h.Regimes) != 2 {
		t.Fatalf("%+v", h)
	}
	if g := h.Regimes[0]; g.First != 0 || g.Last != 8 || g.N != 9 || math.Abs(g.Mean-10) > 1e-9 || g.SD > 1e-9 {
		t.Errorf("first level %+v", g)
	}
	if g := h.Regimes[1]; g.N != 9 || math.Abs(g.Median-32.11) > .2 {
		t.Errorf("second level %+v", g)
	}
	if h := pair.Ratio(a, changepoint.Series{}, pair.JoinDay, nil); len(h.Y) != 0 || len(h.Regimes) != 0 {
		t.Errorf("of nothing: %+v", h)
	}
}
