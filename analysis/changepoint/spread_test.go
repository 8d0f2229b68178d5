package changepoint

import (
	"math"
	"slices"
	"strings"
	"testing"

	"jobgait/analysis/note"
)

// scattered draws n runs whose noise is sd, and factor times that from run at on.
func scattered(seed uint64, n, at int, sd, factor, outliers float64) []float64 {
	x := drawn(seed, n, sd, 0, nil)
	for i := at; i < n; i++ {
		x[i] = math.Log(100) + factor*(x[i]-math.Log(100))
	}
	for i := range x {
		if outliers > 0 && math.Mod(float64(i)*0.618034*float64(seed+3), 1) < outliers {
			x[i] += 0.3
		}
	}
	return x
}

func TestSpread(t *testing.T) {
	for _, c := range []struct {
		name             string
		factor, outliers float64
		least, most      int // notes of 25 histories
	}{
		{"stays", 1, 0, 0, 2},
		{"stays, with outliers", 1, 0.08, 0, 2},
		{"grows", 3, 0, 23, 25},
		{"shrinks", 1. / 3, 0, 23, 25},
		{"grows, with outliers", 3, 0.06, 20, 25},
	} {
		said, near, ratio := 0, 0, 0.0
		for seed := range uint64(25) {
			s, ok := spreadIn(scattered(seed, 100, 60, 0.012, c.factor, c.outliers))
			if !ok {
				continue
			}
			said++
			ratio += math.Log(s.Ratio)
			if abs(s.First-60) <= 10 {
				near++
			}
			if !(s.Lo < s.Hi) || (s.Before < s.After) != (s.Ratio > 1) {
				t.Errorf("%s: %+v", c.name, s)
			}
		}
		if said < c.least || said > c.most {
			t.Errorf("%s: %d of 25 said to change, want %d to %d", c.name, said, c.least, c.most)
		}
		if c.factor != 1 && (near < said*8/10 || math.Abs(ratio/float64(said)-math.Log(c.factor)) > 0.15) {
			t.Errorf("%s: %d of %d near run 60, factor %.2f", c.name, near, said, math.Exp(ratio/float64(said)))
		}
	}
}

// The reported spread is consistent: the factor is within its interval, and the interval excludes no change.
func TestSpreadAgreesWithItsInterval(t *testing.T) {
	said := 0
	for seed := range uint64(200) {
		s, ok := spreadIn(scattered(seed, 100, 60, 0.012, 1.4, 0.06))
		if !ok {
			continue
		}
		said++
		if !(s.Lo <= s.Ratio && s.Ratio <= s.Hi) || s.Lo <= 1 && 1 <= s.Hi {
			t.Errorf("draw %d: a factor of %.2f, and its interval is %.2f to %.2f", seed, s.Ratio, s.Lo, s.Hi)
		}
	}
	if said == 0 {
		t.Error("nothing was said of 200 histories")
	}
}

// Changing levels are not spread: neither steps nor a drift that was found.
func TestSpreadIsNotLevel(t *testing.T) {
	t.Parallel()
	said := 0
	for seed := range uint64(8) {
		x := drawn(seed, 120, 0.01, 0, map[int]float64{30: 0.1, 60: -0.2, 90: 0.05})
		if _, ok := DetectSpread(x, nil, Default()); ok {
			said++
		}
		for i := 40; i < 80; i++ {
			x[i] += 0.01 * float64(i-40)
		}
		for i := 80; i < 120; i++ {
			x[i] += 0.4
		}
		if _, ok := DetectSpread(x, nil, Default()); ok {
			said++
		}
	}
	if said > 2 {
		t.Errorf("%d of 16 moving levels are said to scatter otherwise", said)
	}
}

// The place and the factor depend neither on the unit of the values nor on
// their level, and a spread read backwards is the inverse.
func TestSpreadProperties(t *testing.T) {
	for seed := range uint64(10) {
		x := scattered(seed, 90, 45, 0.01, 2.5, 0)
		s, ok := spreadIn(x)
		if !ok {
			continue
		}
		moved := slices.Clone(x)
		for i := range moved {
			moved[i] += 3
		}
		if m, ok := spreadIn(moved); !ok || m.First != s.First || math.Abs(m.Ratio/s.Ratio-1) > 0.01 {
			t.Errorf("seed %d: %+v, in another unit %+v", seed, s, m)
		}
		back := slices.Clone(x)
		slices.Reverse(back)
		if b, ok := spreadIn(back); !ok || abs(b.First-(90-s.First)) > 3 || math.Abs(b.Ratio*s.Ratio-1) > 0.15 {
			t.Errorf("seed %d: %+v, backwards %+v", seed, s, b)
		}
	}
}

// Values without spread give no note: too few runs, values that a clock of seconds rounds to one value, all
// equal.
func TestSpreadDeclines(t *testing.T) {
	quiet := scattered(1, 80, 40, 0.00001, 30, 0)
	for i := range 40 {
		quiet[i] = math.Log(100)
	}
	for name, x := range map[string][]float64{
		"none": nil, "one": {4}, "15 runs": scattered(2, 15, 8, 0.01, 10, 0),
		"all alike": slices.Repeat([]float64{4}, 60), "even, then not": quiet,
	} {
		if s, ok := DetectSpread(x, nil, Default()); ok {
			t.Errorf("%s: %+v", name, s)
		}
	}
}

// Wide runs after narrow ones are not two levels.
func TestSpreadNote(t *testing.T) {
	t.Parallel()
	said, levels := 0, 0
	for seed := range uint64(16) {
		s := Series{ID: "s", Dated: true}
		for i, v := range scattered(seed, 100, 60, 0.01, 3.5, 0) {
			s.T, s.Y = append(s.T, float64(20700+i)), append(s.Y, math.Exp(v))
		}
		for _, n := range Analyse([]Series{s}, Sequential, Default()).Series[0].Notes {
			switch n.Code {
			case note.SpreadChanged:
				said++
				if !strings.HasPrefix(n.Text, "since about 2026-") || !strings.Contains(n.Text, " times as much (") {
					t.Error(n.Text)
				}
			case note.TwoLevels:
				levels++
			}
		}
	}
	if said < 14 || levels > 1 {
		t.Errorf("of 16 histories %d scatter more and %d have two levels", said, levels)
	}
}

// spreadIn is the spread of runs x of one level.
func spreadIn(x []float64) (Spread, bool) {
	sc := scanner{history: history{x: x}, p: Default()}
	return sc.spreadOf(nil)
}
