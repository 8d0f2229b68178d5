package periodicity

import (
	"math"
	"testing"

	"jobgait/analysis/series"
)

// Slots that are spread in stretches, as components instead of columns, equal those spread at once, except for
// rounding.
func TestSpread(t *testing.T) {
	set := agentLike(20_000)
	for i := range 300 {
		set.Columns[3].Values[5000+i*7] = series.Missing()
	}
	for i := range 900 { // no CPU time, and then much of it in few slots
		for j := range set.Columns {
			set.Columns[j].Values[9000+i] *= []float32{0, 9}[i/600]
		}
	}
	for _, binS := range []float64{0.002, 0.005} {
		want, got := gridsBy(binnedGrid, set, clockOf(set), binS)[0], gridsBy(spreadGrid, set, clockOf(set), binS)[0]
		n := want.src.len()
		if got.src.len() != n || got.set.Len() != n || len(got.set.WallS) != len(want.set.WallS) {
			t.Fatalf("%d bins, not %d", got.src.len(), n)
		}
		for _, s := range []span{{0, n}, {17, 18}, {n / 3, n / 2}, {n - 5, n}} {
			for j := range want.src.cols {
				alike(t, got.src.read(nil, j, s.a, s.b), want.src.read(nil, j, s.a, s.b))
			}
			p, ok := newProjection(want.src)
			q, _ := newProjection(got.src)
			if !ok || len(q.w) != len(p.w) || math.Abs(q.stats[0].noise/p.stats[0].noise-1) > 1e-5 {
				t.Fatalf("%d components, noise of %v", len(q.w), q.stats[0])
			}
			q.w, q.stats = p.w, p.stats // directions may be turned round
			x, y := p.apply(vector{}, s.a, s.b), q.apply(vector{}, s.a, s.b)
			for k := range x.c {
				alike(t, y.c[k], x.c[k])
			}
		}
	}
}

func alike(t *testing.T, got, want []float32) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d values, not %d", len(got), len(want))
	}
	for i, x := range got {
		if d := math.Abs(float64(x - want[i])); !(d <= 1e-4*(1+math.Abs(float64(want[i])))) {
			t.Fatalf("value %d of %d is %v, not %v", i, len(got), x, want[i])
		}
	}
}
