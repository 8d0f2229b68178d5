package series

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	counter, wrapped, level, ramp := make(Values, 500), make(Values, 500), make(Values, 500), make(Values, 500)
	sum := 0.0
	for i := range counter {
		sum += 100 + 50*rng.Float64()
		counter[i] = float32(sum)
		wrapped[i] = float32(math.Mod(sum, 40000))
		level[i] = float32(20 + rng.NormFloat64())
		ramp[i] = float32(i)
	}
	for _, c := range []struct {
		name  string
		v     Values
		wraps int
		want  bool
	}{
		{"counter", counter, 0, true},
		{"counter that wraps", wrapped, 1, true},
		{"level", level, 0, false},
		{"ramp of equal steps", ramp, 0, false},
		{"too few", counter[:40], 0, false},
	} {
		rates, wraps, ok := Rates(c.v)
		if ok != c.want || wraps != c.wraps {
			t.Errorf("%s: counter %v, %d wraps; want %v, %d", c.name, ok, wraps, c.want, c.wraps)
		}
		for i, r := range rates {
			if fell := i > 0 && c.v[i] < c.v[i-1]; (i == 0 || fell) != math.IsNaN(float64(r)) {
				t.Errorf("%s: rate %d is %v", c.name, i, r)
			}
		}
	}
}
