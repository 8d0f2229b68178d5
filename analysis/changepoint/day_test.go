package changepoint

import (
	"math"
	"testing"
)

// Days count for as much as their runs differ.
func TestDaysOfClaim(t *testing.T) {
	sc := scanner{history: history{x: make([]float64, 12), day: []int{0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 4}}, p: Default()}
	c := claim{x: sc.x[2:], from: 2, until: 12, boundaries: 1}
	c.parts = [3]piece{{0, 6, 0}, {6, 12, 0}}
	d, repeated := sc.daysOf(&c)
	if d[0].runs != 4 || d[0].squares != 8 || d[1].runs != 6 || d[1].squares != 18 || repeated != .5 {
		t.Errorf("%+v, %v of the runs follow one of their day", d, repeated)
	}
	for _, v := range []struct {
		f    float64
		of   int
		want float64
	}{{0, 1, 1}, {1, 0, 2}, {1, 1, 3}, {.5, 1, 2}, {.5, 2, 1}} {
		if got := d.inflation(v.f, v.of); got != v.want {
			t.Errorf("share %.1f, piece %d: %v times the variance, want %v", v.f, v.of, got, v.want)
		}
	}
	sc.day = nil
	if got := sc.alikeDays(&c, belief{}); !math.IsInf(got, 1) {
		t.Errorf("one run a day: %v", got)
	}
}

// Few of the days that differ are taken for changes, 20 while days were not looked
// at; changes between days that do not differ are found.
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
			if e.index == runs/2 {
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
