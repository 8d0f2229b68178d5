package changepoint

import (
	"math"
	"testing"
)

func TestRateFallsWithMargin(t *testing.T) {
	if a := falseAlarmRate(0); a != ratePerThousand {
		t.Errorf("rate at margin 0: %g", a)
	}
	if a := falseAlarmRate(rateFold); math.Abs(a-ratePerThousand/math.E) > 1e-12 {
		t.Errorf("rate at margin rateFold: %g", a)
	}
	if a := falseAlarmRate(50); a != rateFloor {
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
