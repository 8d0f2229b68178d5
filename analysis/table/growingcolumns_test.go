package table

import "testing"

// Full pieces of equally spaced times keep only their step; all times stay what they were.
func TestEquallySpacedTimes(t *testing.T) {
	for name, tickOf := range map[string]func(i int) int64{
		"equal":         func(i int) int64 { return 700 + 5*int64(i) },
		"one late":      func(i int) int64 { return 5*int64(i) + int64(i/5000) },
		"irregular":     func(i int) int64 { return 5*int64(i) + int64(i%3) },
		"not ascending": func(i int) int64 { return int64(i) * 3_000_000_000 % (1 << 32) },
	} {
		var all times
		const n = 3*timesPerPiece + 100
		for i := range n {
			all.addDecimal(decimal{mantissa: tickOf(i), places: 3}, 1)
		}
		if all.n != n {
			t.Errorf("%s: %d times, want %d", name, all.n, n)
		}
		buffer := make([]float64, timesPerPiece)
		all.eachPiece(func(begin int, piece *timePiece) {
			for i, at := range piece.seconds(buffer) {
				if want := float64(tickOf(begin+i)) / 1000; at != want || all.at(begin+i) != want {
					t.Fatalf("%s: time %d is %v and %v, want %v", name, begin+i, at, all.at(begin+i), want)
				}
			}
		})
		short := all.pieces[0].ticks == nil && all.pieces[0].exact == nil
		if short != (name == "equal" || name == "one late") {
			t.Errorf("%s: stored as a step: %v", name, short)
		}
	}
}
