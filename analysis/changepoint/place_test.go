package changepoint

import (
	"math"
	"testing"

	"jobgait/analysis/changepoint/scatter"
)

// placeCosts sums along the runs the cost of all ways to assign them to outliers.
func TestBoundariesSumOverAllWays(t *testing.T) {
	x := []float64{0.01, -0.02, 0.4, 0.35, 0.1, 0.09, 0.5}
	c := split{s: 0.02, left: level{mu: 0}, right: level{mu: 0.1}}
	l, d := usualLoss(c.s), newDisturbance(scatter.RunTimeOutliers(), outlierStay)
	for k, got := range (&scanner{p: Default()}).placeCosts(x, c, d) {
		sum := 0.0
		for ways := range 1 << len(x) {
			like := 1.0
			for q, v := range x {
				mu, state := c.left.mu, ways>>q&1
				if q >= k {
					mu = c.right.mu
				}
				chances := [2]float64{1 - d.share, d.share}
				if q > 0 {
					chances = [2]float64{1 - d.enter, d.enter}
					if ways>>(q-1)&1 == 1 {
						chances = [2]float64{1 - d.stay, d.stay}
					}
				}
				like *= chances[state] * d.likelihood(&l, v-mu)[state]
			}
			sum += like
		}
		if want := -math.Log(sum); math.Abs(got-want) > 1e-9 {
			t.Errorf("a change at run %d costs %v nats, all ways together %v", k, got, want)
		}
	}
}

// Without successive outliers placeCosts equals the loss of the scan, except for the thousandths that make the
// loss 0 at its best on either side.
func TestBoundariesOfLoneOutliersAreTheLoss(t *testing.T) {
	x := drawn(1, 20, 0.02, 0, map[int]float64{9: 0.1})
	x = raised(x, 0.5, 4, 12)
	c := split{s: 0.02, left: level{mu: math.Log(100)}, right: level{mu: math.Log(100) + 0.1}}
	l := usualLoss(c.s)
	sc, o := scanner{p: Default()}, scatter.RunTimeOutliers()
	nats := sc.placeCosts(x, c, newDisturbance(o, o.Up+o.Down))
	loss := func(k int) float64 { return l.Total(x[:k], c.left.mu) + l.Total(x[k:], c.right.mu) }
	for k := range nats {
		if d := nats[k] - nats[0] - (loss(k) - loss(0)); math.Abs(d) > 0.05 {
			t.Errorf("place %d costs %v nats more than by the loss", k, d)
		}
	}
}

// A change in a cluster of outliers is placed where the levels part and not where the outliers begin: 191 of 200
// within a run, 118 of 195 by the evidence of splits alone.
func TestPlacedBesideOutliers(t *testing.T) {
	found, right := 0, 0
	for seed := range uint64(200) {
		x := drawn(seed, 60, 0.02, 0, map[int]float64{30: 0.08})
		for i, d := range map[int]float64{26: 0.16, 27: 0.21, 29: 0.5, 31: 0.35} {
			x[i] += d
		}
		for _, i := range indexes(scan(history{x: x}, Default()).events) {
			if i < 24 || i > 36 {
				continue
			}
			found++
			if i >= 29 && i <= 31 {
				right++
			}
		}
	}
	t.Logf("%d of %d within a run", right, found)
	if found < 180 || right < 160 {
		t.Errorf("%d of 200 changes found, %d of them within a run", found, right)
	}
}

// Of equally likely places the middle one is chosen, and the interval contains all of them.
func TestPlacedAmongEquals(t *testing.T) {
	x := drawn(3, 60, 0.01, 0, map[int]float64{30: 0.1})
	x = raised(x, 1, 30, 31)
	ev := scan(history{x: x}, Default()).events
	if len(ev) != 1 || ev[0].index != 31 || ev[0].first != 30 || ev[0].last != 32 {
		t.Errorf("two runs that may be of either level: %+v", ev)
	}
}
