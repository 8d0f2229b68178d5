package changepoint

import (
	"math"
	"testing"
)

// The weight of a day follows how much its runs differ, and a day on both sides of a change does not count.
func TestDaysOfClaim(t *testing.T) {
	sc := scanner{history: history{x: make([]float64, 12), day: []int{0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4}}, p: Default()}
	c := claim{x: sc.x[2:], from: 2, until: 12, boundaries: 1}
	c.parts = [3]levelPiece{{0, 6, 0}, {6, 12, 0}}
	d, repeated := sc.countClaimDays(&c)
	if len(d) != 5 || d[0] != (dayCount{left: 2}) || d[2] != (dayCount{right: 4}) || repeated != .5 {
		t.Errorf("%+v, %v of the runs follow one of their day", d, repeated)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	for _, v := range []struct{ f, left, right float64 }{{0, 1, 1}, {1, 2, 3}, {.5, 1.5, 2}} {
		_, got := d.claimOfDays(&c, v.f)
		difference := (v.left/4 + v.right/6) / (1./4 + 1./6)
		if !near(got.left, v.left) || !near(got.right, v.right) || !near(got.difference, difference) {
			t.Errorf("share %.1f: %+v times the variance, want %v, %v and %v", v.f, got, v.left, v.right, difference)
		}
	}
	sc.day = make([]int, 12)
	d, _ = sc.countClaimDays(&c)
	if _, got := d.claimOfDays(&c, .6); !near(got.left, 2.8) || !near(got.difference, .4) {
		t.Errorf("a change within one day: %+v times the variance, want that of the runs' own share", got)
	}
	sc.day = nil
	if got := sc.dayMargin(&c, noisePrior{}); !math.IsInf(got, 1) {
		t.Errorf("one run a day: %v", got)
	}
}

// Few differences between days are reported as changes (20 if days are not taken into account). Changes between
// days that do not differ are found.
func TestDaysAreNotChanges(t *testing.T) {
	events, found := 0, 0
	const draws, runs = 20, 96
	for seed := range uint64(draws) {
		x, day := dayRuns(seed, runs, 6, 0.02, 0.8)
		events += len(scan(history{x: x, day: day}, Default()).events)
		x, day = dayRuns(seed, runs, 3, 0.02, 0)
		for i := runs / 2; i < runs; i++ {
			x[i] += 0.05
		}
		for _, e := range scan(history{x: x, day: day}, Default()).events {
			if abs(e.index-runs/2) <= 1 {
				found++
			}
		}
	}
	if events > 12 {
		t.Errorf("%d events in %d days of six runs that share .8 of their variance", events, draws*runs/6)
	}
	if found < 18 {
		t.Errorf("%d of %d changes by 2.5 noises found between days of three runs", found, draws)
	}
}
