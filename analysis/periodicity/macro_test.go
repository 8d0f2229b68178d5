package periodicity

import (
	"fmt"
	"math"
	"testing"
)

// cyclesOf returns regions: the given number per cycle, each of the given length, with short gaps within a cycle
// and a long one after it.
func cyclesOf(start float64, cycles, in int, length, short, long float64) []Region {
	var out []Region
	for range cycles {
		for k := range in {
			out = append(out, Region{StartS: start, EndS: start + length, Count: 1})
			if start += length + short; k == in-1 {
				start += long - short
			}
		}
	}
	return out
}

func TestMacros(t *testing.T) {
	steps := func(r []Region) Period { return Period{Timing: Timing{PeriodS: 0.1}, Regions: r} }
	uneven := cyclesOf(0, 1, 1, 30, 0, 20)
	for k := range 6 {
		uneven = append(uneven, cyclesOf(50+float64(k*k)*40, 1, 1, 30, 0, 20)...)
	}
	for _, c := range []struct {
		name    string
		periods []Period
		want    string
	}{
		// Iterations that were missed leave gaps of half a second: 5 periods.
		{"some gaps are long", []Period{steps(cyclesOf(0, 5, 3, 10, 0.5, 20))}, "51.0 s, 4 times, of [0]"},
		{"all gaps are long", []Period{steps(cyclesOf(7, 5, 1, 30, 0, 20))}, "50.0 s, 4 times, of [0]"},
		{"two loops take turns", []Period{steps(cyclesOf(0, 5, 1, 10, 0, 15)), steps(cyclesOf(12, 5, 1, 5, 0, 20))},
			"25.0 s, 4 times, of [0 1]"},
		{"too few", []Period{steps(cyclesOf(0, 3, 1, 30, 0, 20))}, "[]"},
		{"uneven", []Period{steps(uneven)}, "[]"},
		{"one region", []Period{steps(cyclesOf(0, 1, 1, 30, 0, 0))}, "[]"},
		{"nothing", nil, "[]"},
	} {
		got := fmt.Sprint(macros(c.periods))
		if m := macros(c.periods); len(m) > 0 {
			got = fmt.Sprintf("%.1f s, %d times, of %v", m[0].PeriodS, m[0].Count, m[0].Of)
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestGapLimit(t *testing.T) {
	p := Period{Timing: Timing{PeriodS: 0.1}, Regions: cyclesOf(0, 5, 3, 10, 0.5, 20)}
	if got := gapLimit(p, true); math.Abs(got-1.5) > 1e-9 { // of ten gaps of 0.5 s and four of 20
		t.Errorf("among its own: %v, want 1.5", got)
	}
	if got := gapLimit(p, false); math.Abs(got-0.3) > 1e-9 {
		t.Errorf("by its period: %v, want 0.3", got)
	}
	if got := gapLimit(Period{Timing: Timing{PeriodS: 1}, Regions: p.Regions[:1]}, true); !math.IsInf(got, 1) {
		t.Errorf("of one region: %v", got)
	}
}
