package quantity_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	. "jobgait/analysis/quantity"
)

func TestForms(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Percent(12.34), "12.3 %"}, {Percent(0.354), "0.35 %"}, {Percent(-0.354), "-0.35 %"}, {Percent(0.9951), "1.0 %"},
		{Percent(99.96), "100 %"},
		{Percent(1234), "1,234 %"}, {Percent(0), "0 %"}, {Percent(-0.001), "0 %"},
		{Signed(12.34), "+12.3 %"}, {Signed(-3), "-3.0 %"}, {Signed(0.35), "+0.35 %"}, {Signed(0.001), "0 %"},
		{Signed(0), "0 %"},
		{PercentRange(11.8, 12.94), "11.8 .. 12.9 %"}, {PercentTo(11.8, 12.94), "11.8 to 12.9 %"},
		{PercentRange(-0.52, 120), "-0.52 .. 120 %"},
		{Share(0), "0 %"}, {Share(1), "100 %"}, {Share(0.9999), "99.9 %"}, {Share(0.9951), "99.5 %"},
		{Share(0.00001), "< 0.01 %"},
		{Share(0.0004), "0.04 %"}, {Share(0.006), "0.60 %"}, {Share(0.605), "60.5 %"}, {Share(1.2), "120 %"},
		{Chosen(95), "95 %"}, {Chosen(100 * 0.07), "7 %"}, {Chosen(99.9), "99.9 %"},
		{Duration(0), "0 s"}, {Duration(0.0123), "12.3 ms"}, {Duration(59.94), "59.9 s"}, {Duration(59.96), "1:00"},
		{Duration(3599.6), "1:00:00"},
		{Duration(-1), "-"}, {Period(0.005), "5.00 ms"}, {Period(6.2), "6.20 s"}, {Period(1800), "30.0 min"},
		{Clock(3661), "1:01:01"},
		{Position(12.34, 60), "12.3 s"}, {Position(12.34, 600), "0:00:12"},
		{PeriodRange(6.192, 6.209, 6.2), "6.192 .. 6.209 s"}, {PeriodTo(6.192, 6.209, 6.2), "6.192 to 6.209 s"},
		{PeriodRange(0.0121, 0.0129, 0.0125), "12.10 .. 12.90 ms"},
		{Count(0), "0"}, {Count(999), "999"}, {Count(1000), "1,000"}, {Count(-1234567), "-1,234,567"},
		{Plural(1, "node"), "1 node"}, {Plural(1234, "CPU"), "1,234 CPUs"}, {Plural(0, "stretch"), "0 stretches"},
		{Plural(2, "series"), "2 series"}, {Plural(1, "process"), "1 process"}, {Plural(3, "process"), "3 processes"},
		{Plural(2, "history"), "2 histories"}, {Plural(2, "day"), "2 days"},
		{Figures(1.2, 3), "1.20"}, {Figures(12346, 4), "12,350"}, {Figures(999.96, 4), "1,000"},
		{Figures(0.000123, 2), "0.00012"}, {Figures(1e-7, 2), "1e-07"},
		{Figures(0, 3), "0"}, {Figures(-9.996, 3), "-10.0"}, {Plain(0.97, 3), "0.97"}, {Plain(100, 3), "100"},
		{Plain(1.5e12, 3), "1.5e+12"},
		{Figures(1234.5, 3), "1,230"}, {Plain(0.00123456, 3), "0.00123"}, {Plain(-99.96, 3), "-100"},
		{Plain(1e15, 2), "1e+15"}, {Plain(999999999, 3), "1,000,000,000"},
		{Hundredths(0.884), "0.88"}, {Hundredths(0), "0.00"}, {Hundredths(0.00215), "0.002"}, {Hundredths(-0.3), "-0.30"},
		{Exact(1024), "1024"}, {Exact(0.1 + 0.2), "0.3"}, {Exact(1e12), "1e+12"},
		{Amount(9999, ""), "9,999"}, {Amount(12345, ""), "12.3 k"}, {Amount(3.1e14, ""), "310 T"},
		{Amount(7.31e10, "bytes"), "73.1 GB"},
		{Amount(1.49e7, "bytes/s"), "14.9 MB/s"},
		{Amount(23, "B"), "23 B"}, {Amount(1.5e6, "operations"), "1.50 M operations"}, {Amount(0.5, "W"), "0.500 W"},
		{AmountOf(1.234e9, 8e9, "bytes"), "1.23 of 8.00 GB"}, {AmountOf(9.87e6, 8e9, "bytes"), "9.87 MB of 8.00 GB"},
		{Range(1.234, 1.239), "1.234 .. 1.239"}, {Range(10, 20), "10 .. 20"}, {Range(1, 2), "1 .. 2"},
		{Range(1000.1, 1000.3), "1,000.1 .. 1,000.3"}, {Range(-5, 1e9), "-5 .. 1e+09"}, {Range(3, 3), "3 .. 3"},
		{Chance(0.0234), "p = 0.023"}, {Chance(0.0001), "p < 0.001"}, {Chance(1), "p = 1.0"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

// No format prints a missing number as if it existed.
func TestMissingValueIsNotZero(t *testing.T) {
	forms := map[string]func(float64) string{"Percent": Percent, "Signed": Signed, "Share": Share, "Chosen": Chosen,
		"Duration": Duration,
		"Clock":    Clock, "Period": Period, "Hundredths": Hundredths, "Exact": Exact, "Chance": Chance,
		"PercentRange": func(v float64) string { return PercentRange(v, v) }, "Range": func(v float64) string {
			return Range(v, v)
		},
		"PeriodRange": func(v float64) string { return PeriodRange(v, v, v) }, "Position": func(v float64) string {
			return Position(v, 60)
		},
		"Figures": func(v float64) string { return Figures(v, 3) }, "Plain": func(v float64) string { return Plain(v, 3) },
		"Amount": func(v float64) string { return Amount(v, "B") }}
	for name, form := range forms {
		for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			if got := form(v); !strings.Contains(got, Missing) || strings.ContainsAny(got, "0123456789NI") {
				t.Errorf("%s(%g) is %q", name, v, got)
			}
		}
	}
	if got := Optional(nil, Percent); got != Missing {
		t.Errorf("a value that is not known is %q", got)
	}
}

// Figures must read back as v to within half of its last figure.
func FuzzFigures(f *testing.F) {
	f.Add(12345.678, uint8(3))
	f.Add(-0.00099996, uint8(4))
	f.Fuzz(func(t *testing.T, v float64, n uint8) {
		figures := 1 + int(n%9)
		if !Known(v) || v == 0 {
			return
		}
		var got float64
		text := strings.ReplaceAll(Figures(v, figures), ",", "")
		if _, err := fmt.Sscan(text, &got); err != nil {
			t.Fatalf("%g: %q: %v", v, text, err)
		}
		if off := math.Abs(got/v - 1); off > 0.5001*math.Pow(10, float64(1-figures)) && math.Abs(v) > 1e-300 {
			t.Errorf("%g with %d figures is %q", v, figures, text)
		}
	})
}

func TestSignedTo(t *testing.T) {
	for p, want := range map[float64]string{12.3456: "+12.346 %", -67.5: "-67.500 %", math.NaN(): Missing} {
		if got := SignedTo(p, 3); got != want {
			t.Errorf("SignedTo(%v, 3) = %q, want %q", p, got, want)
		}
	}
}
