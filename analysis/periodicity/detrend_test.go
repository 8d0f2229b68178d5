package periodicity

import (
	"math"
	"testing"
)

// Detrending removes a line completely, for any number of samples, and leaves a zigzag about it unchanged.
func TestDetrend(t *testing.T) {
	for n := 2; n < 40; n++ {
		x, y := make([]float32, n), make([]float32, n)
		for i := range x {
			x[i] = 3 - 0.5*float32(i)
		}
		if e := detrend(y, x); e > 1e-9 {
			t.Errorf("%d samples of a line: energy %g", n, e)
		}
		want := 0.0
		for i := range x {
			x[i] += float32(1 - 2*((i+1)/2%2)) // + - - +: no slope in four
		}
		got := detrend(y, x)
		for _, v := range y {
			want += float64(v) * float64(v)
		}
		if math.Abs(got-want) > 1e-9*want || n%4 == 0 && math.Abs(got-float64(n)) > 1e-4 {
			t.Errorf("%d samples of a zigzag: energy %g, of what is left %g", n, got, want)
		}
	}
}
