package robust

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The mean of normal values is not moved by spikes on one side, and its standard
// error is near that of the values alone.
func TestSpikedMean(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		x := make([]float64, 60)
		for i := range x {
			x[i] = .3 + .02*r.NormFloat64()
			if i%15 == 0 {
				x[i] += .2 + .5*r.Float64()
			}
		}
		m := Spikes{Share: .06, Range: 1}.Mean(x)
		if math.Abs(m.Mean-.3) > .012 || m.SE < .0018 || m.SE > .0042 || m.DF < 40 || m.DF > 60 {
			t.Errorf("%+v", m)
		}
	}
	if m := (Spikes{Share: .06, Range: 1}).Mean([]float64{2, 2, 2}); m.Mean != 2 || !(m.SE > 0) {
		t.Errorf("of equal values: %+v", m)
	}
}

// Signs of steps give the correlation: 1 where they agree, -1 where they differ, 0 without steps.
func TestSignCorrelation(t *testing.T) {
	a := []float64{1, -2, 3, -4}
	for _, c := range []struct {
		b    []float64
		want float64
	}{{a, 1}, {[]float64{-1, 2, -3, 4}, -1}, {[]float64{1, 2, 3, 4}, 0}, {[]float64{0, 0, 0, 0}, 0}} {
		if got := SignCorrelation(a, c.b); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.b, got, c.want)
		}
	}
}
