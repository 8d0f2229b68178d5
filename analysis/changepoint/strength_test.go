package changepoint

import (
	"math"
	"testing"
)

func TestRateFallsWithMargin(t *testing.T) {
	r := Rate{PerThousand: 0.1, Fold: 2, Floor: 0.01}
	if a := r.At(0); a != 0.1 {
		t.Errorf("rate at margin 0: %g", a)
	}
	if a := r.At(2); math.Abs(a-0.1/math.E) > 1e-12 {
		t.Errorf("rate at margin 2: %g", a)
	}
	if a := r.At(50); a != 0.01 {
		t.Errorf("rate beyond what was seen: %g", a)
	}
}

func TestRateIsNotGivenWhereNoiseIsDependent(t *testing.T) {
	t.Parallel()
	clear, rated := 0, 0
	for seed := range uint64(20) {
		for _, e := range scan(history{x: drawn(seed, 150, 0.01, 0, map[int]float64{75: 0.1})}, Default()).events {
			clear++
			if e.rate != nil {
				rated++
			}
		}
	}
	if clear < 20 || rated < clear/2 {
		t.Errorf("independent noise: %d of %d events have a rate", rated, clear)
	}
	for seed := range uint64(20) {
		for _, e := range scan(history{x: turning(seed, 100, 0.2, 0.15)}, Default()).events {
			if e.rate != nil {
				t.Errorf("two levels: an event with rate %g", *e.rate)
			}
		}
	}
}

func TestEstimateRate(t *testing.T) {
	t.Parallel()
	var site [][]float64
	for seed := range uint64(5) {
		site = append(site, drawn(seed, 100, 0.02, 0, map[int]float64{50: 0.3}))
	}
	p := Default()
	r, runs := EstimateRate(site, p, 2, 1)
	if runs != 1000 || r.PerThousand > 2.5 || r.Floor > r.PerThousand {
		t.Errorf("from %d runs: %+v", runs, r)
	}
	if again, _ := EstimateRate(site, p, 2, 1); again != r {
		t.Errorf("the same seed gives %+v and %+v", r, again)
	}
	if none, runs := EstimateRate(nil, p, 2, 1); none != p.Rate || runs != 0 {
		t.Errorf("from nothing: %+v, %d runs", none, runs)
	}
	// A detector with a low threshold must be seen to have more false alarms.
	p.Threshold, p.Correlated, p.Turns, p.TurnsLate, p.SmallSample, p.DoubtPhi, p.DoubtTurns = 1, 1, -50, -50, 5, 50, -50
	if loose, _ := EstimateRate(site, p, 2, 1); loose.PerThousand < 3 {
		t.Errorf("at a threshold of 1: %+v", loose)
	}
}
