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
