package anatomy

import (
	"math"
	"slices"
	"testing"
)

// Increases within cycles appear in the bins in which they occurred. Increases outside cycles and unknown values
// appear nowhere.
func TestFold(t *testing.T) {
	cycles := []Cycles{{Pattern: "A"}, {Pattern: "B", Instances: [][2]int{{2000, 100}}}}
	for i := range 10 {
		cycles[0].Instances = append(cycles[0].Instances, [2]int{100 + 64*i, 64})
	}
	grown := func(first, n int) Growth {
		g := Growth{First: int64(first), SlotS: .01, Weight: 2, Columns: [][]float64{make([]float64, n), make([]float64, n)}}
		for i := range n {
			slot := first + i
			if g.Columns[0][i] = 1000; slot >= 100 && slot < 740 {
				g.Columns[0][i] = 0
				if (slot-100)%64 >= 32 { // in the second half
					g.Columns[0][i] = 5
				}
			}
			if g.Columns[1][i] = 1; slot >= 164 {
				g.Columns[1][i] = math.NaN()
			}
		}
		return g
	}
	f := Fold(cycles, 2, slices.Values([]Growth{grown(0, 300), grown(300, 700)}))
	if len(f) != 2 || f[0].Pattern != "A" || math.Abs(f[0].Count-20) > 1e-9 || f[1].Count != 0 {
		t.Fatalf("%+v", f)
	}
	for bin := range Bins {
		want := 0.0
		if bin >= Bins/2 {
			want = 5 / .01
		}
		if got := f[0].Grew[0][bin] / f[0].Seconds[0][bin]; math.Abs(got-want) > 1e-9 {
			t.Errorf("bin %d: %g a second, want %g", bin, got, want)
		}
		if got := f[0].Seconds[1][bin]; math.Abs(got-.04) > 1e-9 { // of the first cycle alone
			t.Errorf("bin %d of the second: %g s", bin, got)
		}
	}
}
