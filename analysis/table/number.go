package table

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// exact10 are the powers of ten that float64 holds exactly. A mantissa below 2^53
// divided by one of them is rounded once, as strconv.ParseFloat does.
var exact10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// decimal is a number mantissa / 10^places.
type decimal struct {
	mantissa int64
	places   int
}

// float returns the value of the decimal.
func (d decimal) float() float64 { return float64(d.mantissa) / exact10[d.places] }

// scanDecimal reads the plain decimal number that b begins with and returns its length, 0 if no number that a
// decimal can hold is there. What follows the number is not examined.
func scanDecimal(b []byte) (d decimal, n int) {
	i, negative := 0, false
	if len(b) > 0 && b[0] == '-' {
		i, negative = 1, true
	}
	m, first := uint64(0), i
	for i < len(b) && b[i]-'0' <= 9 {
		m = 10*m + uint64(b[i]-'0')
		i++
	}
	digits := i - first
	if i < len(b) && b[i] == '.' {
		point := i + 1
		for i = point; i < len(b) && b[i]-'0' <= 9; i++ {
			m = 10*m + uint64(b[i]-'0')
		}
		d.places = i - point
		digits += d.places
	}
	if digits == 0 || digits > 18 || m >= 1<<53 || negative && m == 0 { // -0 has a sign
		return decimal{}, 0
	}
	if d.mantissa = int64(m); negative {
		d.mantissa = -d.mantissa
	}
	return d, i
}

// Units of cells that are not plain numbers.
const (
	noUnit       = ""
	durationUnit = "hh:mm:ss"
	// unknownUnit is that of a column in which no cell had a value so far.
	unknownUnit = "?"
)

// unknownUnits returns the units of n columns before any cell was read.
func unknownUnits(n int) []string { return slices.Repeat([]string{unknownUnit}, n) }

// cells reads the numbers of a file.
type cells struct {
	// decimalComma says that 1,5 is a number, as in files with semicolons.
	decimalComma bool
}

// number reads one cell. A word for a missing value is NaN; a number beyond float64 is
// infinite. unit is the text behind the number ("%", "MiB"), or durationUnit for
// [D-]HH:MM:SS and MM:SS, whose value is in seconds.
func (c cells) number(b []byte) (v float64, unit string, ok bool) {
	if d, n := scanDecimal(b); n > 0 && n == len(b) {
		return d.float(), noUnit, true
	}
	return c.word(strings.TrimSpace(string(b)))
}

// word reads a cell that is not a plain decimal, with the results of number.
func (c cells) word(s string) (v float64, unit string, ok bool) {
	if isMissing(s) {
		return math.NaN(), noUnit, true
	}
	if v, ok := parseFloat(s); ok {
		return v, noUnit, true
	}
	if plain, ok := c.withoutThousands(s); ok {
		return c.word(plain)
	}
	if c.decimalComma && strings.Count(s, ",") == 1 && !strings.Contains(s, ".") {
		return c.word(strings.Replace(s, ",", ".", 1))
	}
	if v, ok := parseDuration(s); ok {
		return v, durationUnit, true
	}
	return withUnit(s)
}

// withoutThousands removes the separators from a number with groups of three digits and a decimal part: 1,234.5 or, if
// numbers may have decimal commas, 1.234,5. A number without a decimal part is ambiguous and remains. The text behind
// the number is kept. ok is false if there is nothing to remove.
func (c cells) withoutThousands(s string) (plain string, ok bool) {
	group, point := ",", "."
	if c.decimalComma {
		group, point = ".", ","
	}
	digits, unit, _ := strings.Cut(s, " ")
	whole, fraction, hasPoint := strings.Cut(digits, point)
	parts := strings.Split(strings.TrimPrefix(whole, "-"), group)
	if !hasPoint || len(parts) < 2 || !isDigits(fraction) {
		return "", false
	}
	for i, p := range parts {
		if !isDigits(p) || len(p) > 3 || i > 0 && len(p) != 3 {
			return "", false
		}
	}
	plain = strings.ReplaceAll(whole, group, "") + "." + fraction
	if unit != "" {
		plain += " " + unit
	}
	return plain, true
}

// parseFloat is strconv.ParseFloat without hexadecimal numbers and underscores. Numbers
// out of range are infinite or 0.
func parseFloat(s string) (float64, bool) {
	if strings.ContainsAny(s, "_xX") {
		return 0, false
	}
	v, err := strconv.ParseFloat(s, 64)
	return v, err == nil || errors.Is(err, strconv.ErrRange)
}

// isMissing reports whether a cell has no value: it is empty, a word for a missing value such as "NaN" or "n/a", or
// text without digits in brackets such as [N/A], [Not Supported], <not counted>.
func isMissing(s string) bool {
	if s == "" {
		return true
	}
	if first, last := s[0], s[len(s)-1]; len(s) > 2 && (first == '[' && last == ']' || first == '<' && last == '>') {
		return !strings.ContainsAny(s, "0123456789")
	}
	if len(s) > len("not supported") {
		return false
	}
	switch strings.ToLower(s) {
	case "na", "n/a", "n.a.", "#n/a", "nan", "+nan", "-nan", "null", "none", "-", "--", "nil", "missing", "unknown",
		"not counted", "not supported":
		return true
	}
	return false
}

// parseDuration reads [D-]HH:MM:SS[.f] and MM:SS[.f] as seconds.
func parseDuration(s string) (float64, bool) {
	sign := 1.0
	if rest, negative := strings.CutPrefix(s, "-"); negative {
		s, sign = rest, -1
	}
	total := 0.0
	days, clock, hasDays := strings.Cut(s, "-")
	if hasDays {
		d, err := strconv.ParseUint(days, 10, 24)
		if err != nil {
			return 0, false
		}
		total, s = float64(d)*24, clock
	}
	parts := strings.Split(s, ":")
	if len(parts) < 2 || len(parts) > 3 || hasDays && len(parts) != 3 {
		return 0, false
	}
	for i, p := range parts {
		if p == "" || p[0] < '0' || p[0] > '9' {
			return 0, false
		}
		v, ok := parseFloat(p)
		last := i == len(parts)-1
		if !ok || !last && v != math.Trunc(v) || i > 0 && v >= 60 || strings.ContainsAny(p, "eE") {
			return 0, false
		}
		if i == 0 {
			total += v
		} else {
			total = 60*total + v
		}
	}
	return sign * total, true
}

// withUnit reads a number, blanks and a unit: "45 %", "123.4 W". 45% needs no blank.
func withUnit(s string) (v float64, unit string, ok bool) {
	const longest = 12
	i := strings.IndexByte(s, ' ')
	if i < 0 {
		i = len(s) - len("%")
	}
	if i <= 0 {
		return 0, noUnit, false
	}
	unit = strings.TrimSpace(s[i:])
	if unit == "" || len(unit) > longest || strings.ContainsAny(unit, "0123456789:") ||
		!strings.Contains(s[i:], " ") && unit != "%" {
		return 0, noUnit, false
	}
	v, ok = parseFloat(s[:i])
	return v, unit, ok && !math.IsNaN(v)
}
