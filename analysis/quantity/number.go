package quantity

import (
	"math"
	"strconv"
	"strings"
)

// Missing is printed for a missing value.
const Missing = "-"

// Known reports whether v is neither NaN nor infinite.
func Known(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Optional prints a value with print, or Missing for nil.
func Optional(v *float64, print func(float64) string) string {
	if v == nil {
		return Missing
	}
	return print(*v)
}

// Figures prints v with n significant figures: 1.20, 1,230, 0.0123. Beyond nine digits, and behind four
// zeros, it has an exponent. An unknown number is Missing, and zero is "0".
func Figures(v float64, n int) string {
	switch size := math.Abs(v); {
	case !Known(v):
		return Missing
	case v == 0:
		return "0"
	case size >= 1e9 || size < 1e-5:
		return strconv.FormatFloat(v, 'g', n, 64)
	}
	exact := strconv.FormatFloat(v, 'e', n-1, 64)
	rounded, _ := strconv.ParseFloat(exact, 64)
	power, _ := strconv.Atoi(exact[strings.IndexByte(exact, 'e')+1:])
	return commas(strconv.FormatFloat(rounded, 'f', max(0, n-1-power), 64))
}

// Plain prints v like Figures, without zeros at the end of a fraction.
func Plain(v float64, n int) string {
	s := Figures(v, n)
	if strings.Contains(s, ".") && !strings.Contains(s, "e") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// Hundredths prints a number of CPUs, a confidence or a correlation with two decimals; a size below 0.01 has one
// significant figure instead.
func Hundredths(v float64) string {
	if size := math.Abs(v); !Known(v) || size > 0 && size < 0.01 {
		return Figures(v, 1)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// Exact prints a number that a user or a site chose, as it would be typed; rounding errors of products are
// removed.
func Exact(v float64) string {
	switch size := math.Abs(v); {
	case !Known(v):
		return Missing
	case size < 1e9 && size >= 1e-4 || size == 0:
		return strconv.FormatFloat(math.Round(v*1e9)/1e9, 'f', -1, 64)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// Count prints a whole number with commas.
func Count[T int | int64](n T) string { return commas(strconv.FormatInt(int64(n), 10)) }

// Plural prints a count with its noun: "1 node", "2 nodes", "1,024 stretches", "3 series", "2 processes" and "4
// histories". All counts of things are printed by it.
func Plural[T int | int64](n T, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "series"):
		return Count(n) + " " + one
	case strings.HasSuffix(one, "ch"), strings.HasSuffix(one, "ss"):
		one += "e"
	case strings.HasSuffix(one, "ry"):
		one = strings.TrimSuffix(one, "y") + "ie"
	}
	return Count(n) + " " + one + "s"
}

// commas inserts thousands separators into the whole part of a number without exponent.
func commas(s string) string {
	start := 0
	if strings.HasPrefix(s, "-") {
		start = 1
	}
	end := strings.IndexByte(s, '.')
	if end < 0 {
		end = len(s)
	}
	for i := end - 3; i > start; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Amount prints a total with three figures, a prefix and its unit: 1.23 GB, 23, 1.23 M operations. The prefixes are k
// from 10,000 on, M, G, T and P.
func Amount(v float64, unit string) string {
	if !Known(v) {
		return Missing
	}
	text, unit := amount(v, unit)
	return strings.TrimSuffix(text+" "+unit, " ")
}

// AmountOf prints v as a part of all, with the unit once if both have the same: 1.23 of 2.00 GB.
func AmountOf(v, all float64, unit string) string {
	text, of := amount(v, unit)
	if _, whole := amount(all, unit); Known(v) && of == whole {
		return text + " of " + Amount(all, unit)
	}
	return Amount(v, unit) + " of " + Amount(all, unit)
}

// amount returns the text of a total with three figures, and its unit with the prefix.
func amount(v float64, unit string) (text, prefixed string) {
	text, prefix := Figures(v, 3), ""
	if v == math.Trunc(v) {
		text = commas(strconv.FormatFloat(v, 'f', 0, 64)) // 23 faults are not 23.0
	}
	for _, p := range []struct {
		from, scale float64
		name        string
	}{{1e15, 1e15, "P"}, {1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}} {
		if math.Abs(v) >= p.from {
			text, prefix = Figures(v/p.scale, 3), p.name
			break
		}
	}
	switch {
	case unit == "bytes":
		unit = "B"
	case unit == "bytes/s":
		unit = "B/s"
	case prefix != "" && len(unit) > 2: // a word stands apart from the prefix
		unit = " " + unit
	}
	return text, prefix + unit
}

// Range prints both ends of an interval with enough figures, at least three, for them to differ in two.
func Range(lo, hi float64) string {
	n := 3
	if wide := hi - lo; wide > 0 && Known(wide) {
		largest := math.Max(math.Abs(lo), math.Abs(hi))
		n = min(9, max(n, int(math.Floor(math.Log10(largest))-math.Floor(math.Log10(wide)))+2))
	}
	return Plain(lo, n) + " .. " + Plain(hi, n)
}

// Chance prints a probability of a test: "p = 0.023", and "p < 0.001" for smaller ones.
func Chance(p float64) string {
	const threshold = 0.001 // a noise below this is never known so precisely
	switch {
	case !Known(p):
		return "p = " + Missing
	case p < threshold:
		return "p < 0.001"
	}
	return "p = " + Figures(p, 2)
}
