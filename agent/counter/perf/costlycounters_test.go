package perf

import "testing"

// The result of a day of calls at a constant rate: column 2 is the second tracepoint.
func TestCharge(t *testing.T) {
	const second = 1_000_000_000
	for _, c := range []struct {
		name  string
		calls func(second int) uint64 // in this second
		after int                     // seconds until it is too much, 0 = never in a day
	}{
		{"none", func(int) uint64 { return 0 }, 0},
		{"9,000 a second", func(int) uint64 { return 9_000 }, 0},
		{"a start of 100,000", func(s int) uint64 { return []uint64{100_000, 0}[min(s-1, 1)] }, 0},
		{"such a start every minute", func(s int) uint64 { return []uint64{90_000, 0}[min(s%60, 1)] }, 0},
		{"20,000 a second", func(int) uint64 { return 20_000 }, 10},
		{"a million a second", func(int) uint64 { return 1_000_000 }, 1},
	} {
		var p tracepointCost
		totals := []uint64{7, 0, 0}
		p.charge(5, totals, 1)
		got := 0
		for s := 1; s <= 86400; s++ {
			totals[2] += c.calls(s)
			totals[1] += 3
			if w := p.charge(5+int64(s)*second, totals, 1); w >= 0 {
				if got = s; w != 2 {
					t.Errorf("%s: column %d", c.name, w)
				}
				break
			}
		}
		if got != c.after {
			t.Errorf("%s: too much after %d s, want %d", c.name, got, c.after)
		}
	}
}
