package scaling

import (
	"math/rand/v2"
	"testing"
)

// kernels draws series over the same sizes; the first changed of them have a
// step after p = 32 too small to be sure of in one.
func kernels(seed uint64, count, changed int, step, noise float64) []Series {
	r := rand.New(rand.NewPCG(seed, 2))
	var out []Series
	for i := range count {
		s := Series{}
		slope := r.Float64()
		for _, p := range doublings(10) {
			v := 10 * (1 + slope*p/1024)
			if i < changed && p > 32 {
				v *= step
			}
			s.Observations = append(s.Observations, Observation{P: p, Value: v * (1 + noise*(2*r.Float64()-1))})
		}
		out = append(out, s)
	}
	return out
}

func TestJoint(t *testing.T) {
	series := kernels(1, 200, 30, 1.2, 0.04)
	c, ok := FindSharedChange(series)
	if !ok || c.After != 32 || c.Before != 64 {
		t.Fatalf("common change %+v, %v", c, ok)
	}
	right := 0
	for _, i := range c.Members {
		if i < 30 {
			right++
		}
	}
	if right < 15 || len(c.Members)-right > 5 {
		t.Errorf("%d members, %d of 30 right", len(c.Members), right)
	}
	alone := 0
	d := newDetector()
	for _, s := range series {
		points, _ := order(s)
		if d.detect(newGrid(points)).segmented {
			alone++
		}
	}
	if alone >= right {
		t.Errorf("%d are cut alone, %d together: the common change says nothing new", alone, right)
	}
}

func TestJointNothing(t *testing.T) {
	for seed := range uint64(5) {
		if c, ok := FindSharedChange(kernels(10+seed, 100, 0, 1, 0.1)); ok {
			t.Errorf("seed %d: %+v in series of one law each", seed, c)
		}
	}
	// One sure change is that series' own.
	if c, ok := FindSharedChange(kernels(20, 50, 1, 3, 0.02)); ok {
		t.Errorf("one of 50: %+v", c)
	}
	if _, ok := FindSharedChange(nil); ok {
		t.Error("a common change of no series")
	}
}
