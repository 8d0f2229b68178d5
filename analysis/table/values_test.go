package table

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestParseTime(t *testing.T) {
	const want = "2024-01-01T02:00:00Z"
	for _, s := range []string{
		"2024-01-01T02:00:00Z", "2024-01-01 02:00:00", "2024-01-01 02:00", "2024-01-01 2:00", "2024-01-01_02:00:00",
		// git %ci, %cI
		"2024-01-01 03:00:00 +0100", "2024-01-01 03:00:00+01:00", "2024-01-01T03:00:00.000+01", "2024-01-01 01:00:00 -0100",
		"2024/01/01 02:00:00", "2024/1/1 2:00", "2024.01.01 3:00:00 +0100", "2024-01-01 02:00:00 UTC", "2024-01-01 02:00 GMT",
		"2024-01-01 02:00:00 +0000 UTC", "2024-01-01 03:00:00 GMT+0100", "2024-01-01 02:00:00,000", "20240101T020000Z",
		"20240101T0200",
		"01.01.2024 02:00", "1.1.2024 2:00:00", "Mon Jan  1 02:00:00 2024", "Mon Jan  1 02:00:00 UTC 2024",
		"Mon Jan 1 03:00:00 2024 +0100",
		"Mon, 01 Jan 2024 03:00:00 +0100", "Mon, 1 Jan 2024 02:00:00 +0000", "1 Jan 2024 02:00:00", "01-Jan-2024 02:00:00",
		"Jan 1, 2024 02:00:00",
	} {
		got, err := parseTime(s)
		if err != nil || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%q: %v, %v", s, got, err)
		}
	}
	for s, want := range map[string]string{"2024-01-01": "2024-01-01T00:00:00Z", "2024/01/01": "2024-01-01T00:00:00Z",
		"2024.1.31":  "2024-01-31T00:00:00Z",
		"31.12.2023": "2023-12-31T00:00:00Z", "2024-02-29 +0100": "2024-02-28T23:00:00Z",
		"2024-01-01 12:00:00.5": "2024-01-01T12:00:00.5Z"} {
		if got, err := parseTime(s); err != nil || got.UTC().Format(time.RFC3339Nano) != want {
			t.Errorf("%q: %v, %v, want %s", s, got, err, want)
		}
	}
	for _, s := range []string{"", "soon", "2024", "2024-13-01", "2023-02-29", "2024-01-01 25:00", "2024-01-01 02:60",
		"2024-01-01 02:00 PST", "1/2/2024",
		"00:01:50", "2024-01-01x", "2024-01-01 02:00:00 +01:00 x", "12.5", "2024-01/01"} {
		if got, err := parseTime(s); err == nil {
			t.Errorf("%q: %v", s, got)
		}
	}
	if _, err := parseTime("1/2/2024 3:00"); err == nil || !strings.Contains(err.Error(), "day or month first") {
		t.Errorf("an ambiguous date: %v", err)
	}
}

func TestUnitOf(t *testing.T) {
	for v, want := range map[float64]TimeUnit{0: Days, 19800.3: Days, calendarEnd: Days, 1609466400: Seconds,
		-1609466400: Seconds, 1704067200000: Milliseconds,
		1704067200000000: Microseconds, 1704067200000000000: Nanoseconds} {
		if got := unitOf(v); got != want {
			t.Errorf("%v: %v, want %v", v, got, want)
		}
	}
}

func TestCells(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		s    string
		want float64
		unit string
	}{
		{"1.5", 1.5, ""}, {"-0", math.Copysign(0, -1), ""}, {"1e3", 1000, ""}, {"+2", 2, ""}, {".5", .5, ""},
		{"inf", math.Inf(1), ""}, {"-Infinity", math.Inf(-1), ""},
		{"1e999", math.Inf(1), ""}, {"", nan, ""}, {"NaN", nan, ""}, {"N/A", nan, ""}, {"[N/A]", nan, ""},
		{"[Not Supported]", nan, ""}, {"<not counted>", nan, ""},
		{"<not supported>", nan, ""}, {"None", nan, ""}, {"null", nan, ""}, {"-", nan, ""}, {"#N/A", nan, ""},
		{"Unknown", nan, ""},
		{"00:01:50", 110, durationUnit}, {"1-02:03:04", 93784, durationUnit}, {"01:50.5", 110.5, durationUnit},
		{"100:00:00", 360000, durationUnit}, {"-00:00:10", -10, durationUnit},
		{"45 %", 45, "%"}, {"45%", 45, "%"}, {"71.51 W", 71.51, "W"}, {"1.5 GiB", 1.5, "GiB"},
	} {
		got, unit, ok := cells{}.number([]byte(c.s))
		if same := got == c.want && math.Signbit(got) == math.Signbit(c.want) || math.IsNaN(got) && math.IsNaN(c.want); !ok ||
			!same || unit != c.unit {
			t.Errorf("%q: %v %q %v", c.s, got, unit, ok)
		}
	}
	for _, s := range []string{"x", "1,5", "0x10", "1_0", "1 2", "12s", "12 s 3", "failed", "00:61:00", "1:2:3:4", ":",
		"1:", "[1]", "<5>", "4e1:00", "-1-00:00:00x", "99999999-00:00:00"} {
		if v, unit, ok := (cells{}).number([]byte(s)); ok {
			t.Errorf("%q: %v %q", s, v, unit)
		}
	}
	for s, want := range map[string]float64{"1,5": 1.5, "-0,25": -.25, "3": 3, "1.5": 1.5, "1,5e3": 1500} {
		if v, _, ok := (cells{decimalComma: true}).number([]byte(s)); !ok || v != want {
			t.Errorf("%q with a decimal comma: %v %v", s, v, ok)
		}
	}
	for s, want := range map[string]float64{"1,234.5": 1234.5, "-12,345,678.25 ns": -12345678.25} {
		if v, _, ok := (cells{}).number([]byte(s)); !ok || v != want {
			t.Errorf("%q with groups of digits: %v %v", s, v, ok)
		}
	}
	if v, unit, ok := (cells{decimalComma: true}).number([]byte("1.234,5 ns")); !ok || v != 1234.5 || unit != "ns" {
		t.Errorf("groups of digits and a decimal comma: %v %q %v", v, unit, ok)
	}
	for _, s := range []string{"1,234", "1,23.4", "1234,567.8", "1,2345.6", "1,234.5.6", "1,234.", ",234.5"} {
		if v, _, ok := (cells{}).number([]byte(s)); ok {
			t.Errorf("%q: %v", s, v)
		}
	}
}

// A cell is read as strconv reads it, or is a word.
func FuzzCell(f *testing.F) {
	for _, s := range []string{"1.5", "-.5e-3", "00:01:50", "45 %", "[N/A]", "1,5", "9007199254740993",
		"123456789012345678901"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, unit, ok := cells{}.number([]byte(s))
		if d, n := scanDecimal([]byte(s)); n > 0 {
			if want, ok := parseFloat(s[:n]); !ok || want != d.float() {
				t.Fatalf("%q: %v, want %v", s[:n], d.float(), want)
			}
		}
		if ok && unit == noUnit && !math.IsNaN(v) {
			if want, ok := parseFloat(strings.TrimSpace(s)); !ok || want != v {
				t.Fatalf("%q: %v, want %v", s, v, want)
			}
		}
	})
}

// A time that is read is within the years that it names.
func FuzzTime(f *testing.F) {
	for _, s := range []string{"2024-01-01", "2024.01.01 3:00:00 +0100", "Mon Jan  1 02:00:00 2024", "20240101T020000Z",
		"1/2/2024", "31.12.2023 23:59", "2024-01-01 02:00 UTC"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		at, err := parseTime(s)
		if err == nil && (at.Year() < -1 || at.Year() > 10000) {
			t.Fatalf("%q: %v", s, at)
		}
	})
}
